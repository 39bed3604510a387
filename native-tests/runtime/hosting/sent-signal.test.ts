import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Axon, MemoryRuns } from "framework";
import type { RunGlance } from "#core/ports/run-store.js";
import { MAX_SIGNAL_CHARS, type NewSignal, type SignalAnswer } from "#core/ports/run-waits.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { SignalWait } from "#runtime/definition/wait.js";
import { signalRun, wakeRun } from "#runtime/hosting/sent-signal.js";

const Approval = Type.Object({ by: Type.String({ maxLength: 100_000 }), at: Type.Optional(Type.Unknown()) });

/** An Axon that waits for one signal. */
function waiting(name = "claims", schema = Approval): AxonDefinition {
  const { definition } = Axon.start<string>(name).thenFn("wait", (value) => value);
  const signals = [{ name: "approved", schema }];
  const options = { timeoutMs: undefined, onTimeout: undefined, take: undefined };
  const wait: SignalWait = { kind: "signals", signals, isAny: false, ...options };
  return {
    ...definition,
    steps: definition.steps.map((step) => ({ ...step, body: { kind: "wait", wait } })),
  };
}

function storing(glance: Partial<RunGlance> | undefined, answer?: SignalAnswer) {
  const sent: NewSignal[] = [];
  const woken: number[] = [];
  const runs = new MemoryRuns();
  const waits = {
    signal: (_: string, signal: NewSignal) => {
      sent.push(signal);
      return answer ?? { kind: "kept", isAwaited: true };
    },
    wake: (_: string, known: number) => woken.push(known) > 0,
  };
  const row = glance === undefined ? undefined : { axon: "claims", state: "running", entries: 3, ...glance };
  return { store: Object.assign(runs, { waits, glance: () => row }) as never, sent, woken };
}

const approval = { name: "approved", payload: { by: "Ada" } };

describe("a signal that is sent to a run", () => {
  test("is kept as data under the given id with its sender, else under an id of its own", async () => {
    const { store, sent } = storing({});
    const at = new Date(0);
    const payload = { by: "Ada", at };
    assert.deepEqual(
      await signalRun(store, waiting(), "run", { name: "approved", payload, id: "one", actor: "ada" }),
      { kind: "kept", id: "one", isAwaited: true },
    );
    const answer = await signalRun(store, waiting(), "run", approval);

    assert.deepEqual(sent[0], {
      ...{ name: "approved", payload: { by: "Ada", at: { $: ["date", 0] } }, id: "one", actor: "ada" },
    });
    assert.ok(answer.kind === "kept" && answer.id === sent[1]?.id && answer.id.length === 36);
  });

  test("is known by its id, and in conflict with another payload", async () => {
    const [same, other] = [true, false].map((isSame) => storing({}, { kind: "known", isSame }).store);
    const signal = { ...approval, id: "one" };
    assert.deepEqual(await signalRun(same as never, waiting(), "run", signal), { kind: "known", id: "one" });
    assert.deepEqual(await signalRun(other as never, waiting(), "run", signal), {
      kind: "conflict",
      id: "one",
    });
  });

  test("is refused for an unknown run, one of another Axon, a stuck one, an ended one, and a full one", async () => {
    const kindOf = async (glance: Partial<RunGlance> | undefined, answer?: SignalAnswer) =>
      (await signalRun(storing(glance, answer).store, waiting(), "run", approval)).kind;

    assert.equal(await kindOf(undefined), "unknown");
    assert.equal(await kindOf({ axon: "others" }), "unknown");
    assert.equal(await kindOf({ state: "stuck" }), "stuck");
    assert.equal(await kindOf({ state: "ended" }, { kind: "ended" }), "ended");
    assert.equal(await kindOf({}, { kind: "full" }), "full");
  });

  test("is invalid where the Axon waits for none of that name, and where its payload does not fit", async () => {
    const { store, sent } = storing({});
    const errorOf = async (name: string, payload: unknown, id?: string) => {
      const answer = await signalRun(store, waiting(), "run", {
        name,
        payload,
        ...(id !== undefined && { id }),
      });
      return answer.kind === "invalid" ? answer.errors[0] : undefined;
    };

    assert.deepEqual(await errorOf("rejected", {}), {
      ...{ pointer: "", keyword: "signal", expected: "a signal that 'claims' waits for: 'approved'" },
    });
    assert.equal((await errorOf("approved", { by: 1 }))?.pointer, "/by");
    assert.equal((await errorOf("approved", { by: "x".repeat(MAX_SIGNAL_CHARS) }))?.keyword, "maxLength");
    // Each quote is one character in memory and two as JSON.
    assert.equal((await errorOf("approved", { by: '"'.repeat(40_000) }))?.keyword, "maxLength");
    assert.match((await errorOf("approved", { by: "Ada", at: () => 1 }))?.expected ?? "", /payload\.at/);
    assert.equal((await errorOf("approved", approval.payload, ""))?.keyword, "id");
    assert.deepEqual(sent, []);
  });

  test("may be one for which only an old version of the Axon waits", async () => {
    const { store } = storing({});
    const { definition } = Axon.start<string>("claims").thenFn("go", (value) => value);
    const old = { definition: waiting() };
    const migrations = [{ from: "1.0.0", strategy: { kind: "complete-on-old-version", axon: old } }];
    const axon = { ...definition, persistence: { migrations } } as never;
    assert.equal((await signalRun(store, axon, "run", approval)).kind, "kept");
  });
});

describe("a run that is woken", () => {
  test("is one that waits for a time, as far as its log was read", async () => {
    const sleeping = storing({ wait: { due: 5 } });
    assert.equal(await wakeRun(sleeping.store, "run"), true);
    assert.deepEqual(sleeping.woken, [3]);

    for (const glance of [{ wait: { signals: ["approved"] } }, {}, undefined]) {
      const { store, woken } = storing(glance);
      assert.equal(await wakeRun(store, "run"), false);
      assert.deepEqual(woken, []);
    }
  });
});
