import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, isFault, isRuntimeFault, synapse, Type } from "framework";
import { AxonTestKit } from "framework/runtime";

const Client = busKey<{ ask(n: number, signal: AbortSignal): Promise<number> }>()("Client");
const tooFar = (thrown: unknown) =>
  thrown instanceof RangeError ? ({ code: "TOO_FAR" } as const) : undefined;
const asking = (call: (n: number) => unknown) =>
  Axon.start<number>("ask").then(synapse({ name: "ask", call, toFault: tooFar }));
const thrown = (error: unknown) => (): never => {
  throw error;
};
const errorOf = (outcome: unknown) => {
  assert.ok(isFault(outcome));
  return outcome.error as { code: string; cause?: unknown };
};

describe("a Synapse", () => {
  test("goes on with what the service answers, at once or later", async () => {
    assert.equal(asking((n) => n + 1).execute(1), 2);
    assert.equal(await asking(async (n) => n + 1).execute(1), 2);
  });

  test("asks through the client that is on the Bus, with the signal of the run", async () => {
    const axon = Axon.start<number>("ask").then(
      synapse({
        name: "ask",
        reads: [Client],
        call: (n: number, bus) => bus.get(Client).ask(n, bus.signal),
      }),
    );
    const ask = async (n: number, signal: AbortSignal) => (signal instanceof AbortSignal ? n * 2 : 0);
    const { outcome } = await new AxonTestKit({ Client: { ask } }).run(axon, 2);

    assert.equal(outcome, 4);
  });

  test("fires the signal that its service waits on when the run is aborted", async () => {
    const controller = new AbortController();
    let gone: unknown;
    const axon = Axon.start("ask").then(
      synapse({
        name: "ask",
        call: (_: void, { signal }) =>
          new Promise<never>((_, reject) => {
            signal.addEventListener("abort", () => {
              gone = signal.reason;
              reject(signal.reason);
            });
          }),
      }),
    );
    const run = axon.execute(undefined, undefined, controller.signal);
    controller.abort("enough");

    assert.equal(errorOf(await run).code, "RUN_ABORTED");
    assert.equal(gone, "enough");
  });

  test("faults as toFault says, however the service failed", async () => {
    const pending = { then: (_: unknown, reject: (error: unknown) => void) => reject(new RangeError()) };

    assert.deepEqual(errorOf(asking(thrown(new RangeError())).execute(1)), { code: "TOO_FAR" });
    assert.deepEqual(errorOf(await asking(async () => thrown(new RangeError())()).execute(1)), {
      code: "TOO_FAR",
    });
    assert.deepEqual(errorOf(await asking(() => pending).execute(1)), { code: "TOO_FAR" });
  });

  test("panics with what was thrown where toFault knows nothing of it", async () => {
    const failure = new Error("refused");
    const bare = Axon.start<number>("ask").then(synapse({ name: "ask", call: thrown(failure) }));
    const outcomes = [
      asking(thrown(failure)).execute(1),
      await asking(async () => thrown(failure)()).execute(1),
      bare.execute(1),
    ];

    for (const error of outcomes.map(errorOf)) {
      assert.ok(isRuntimeFault(error));
      assert.deepEqual([error.code, (error as { cause?: unknown }).cause], ["TRANSITION_PANIC", failure]);
    }
  });

  test("is drawn as a node of its own kind", () => {
    const input = Type.Object({ id: Type.String() });
    const output = Type.Number();
    const call = ({ id }: { id: string }) => id.length;
    const quote = synapse({ name: "quote", description: "Asks for a price", input, output, call });
    const kinds = Axon.start("order", input)
      .then(quote)
      .thenFn("after", (n) => n)
      .schematic()
      .nodes.map(({ kind, label, output_schema }) => [kind, label, output_schema]);

    assert.deepEqual(kinds, [
      ["Ingress", "order", undefined],
      ["Synapse", "quote", output],
      ["Atom", "after", undefined],
      ["Egress", "order", undefined],
    ]);
  });
});
