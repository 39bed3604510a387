// What programs without types put in the place of a step, an Axon, a policy or an option.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, MemoryDeadLetters, MemoryRuns, SagaPolicy, transition } from "framework";

const run = () => 1;
const step = transition({ name: "s", run });
const branching = { branches: ["pilot"] };
const a = () =>
  Axon.start("a").thenFn("ask", run, branching as never) as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >;
const made = (maker: unknown) => maker as new (options: unknown) => unknown;

function refuses(call: () => unknown, code: string, message: RegExp): void {
  assert.throws(call, { code, message });
}

describe("an Axon", () => {
  test("says how a function becomes a step", () => {
    refuses(() => a()["then"]?.(run), "AXON_STEP_INVALID", /no step of Axon 'a': write thenFn\(name, fn\)/);
    refuses(() => a()["thenWithRetry"]?.(run), "AXON_STEP_INVALID", /transition\(\{ name, run: fn \}\)/);
  });

  test("says how another Axon becomes a step", () => {
    const other = Axon.start("other");

    refuses(
      () => a()["then"]?.(other),
      "AXON_STEP_INVALID",
      /^Axon 'other' is no step of Axon 'a': .*subgraph\(axon\)/,
    );
    refuses(() => a()["parallel"]?.([other], "AnyCanFail", run), "AXON_STEP_INVALID", /its asTransition\(\)/);
  });

  test("takes whatever has a name and runs, be it a class or one with a definition of its own", async () => {
    class Rule {
      readonly name = "rule";
      readonly definition = { by: 2 };
      run(n: number): number {
        return n * this.definition.by;
      }
    }
    const Price = Object.assign(function Price() {}, { run: (n: number) => n + 1 });
    const axon = Axon.start<number>("a")
      .then(new Rule() as never)
      .then(Price as never);

    assert.equal(await (axon as { execute(n: number): unknown }).execute(3), 7);
  });

  test("says that it cannot be awaited, which takes it for a promise", async () => {
    const awaited = async () => await (a() as unknown as Promise<unknown>);

    await assert.rejects(awaited, {
      code: "AXON_STEP_INVALID",
      message: /was the Axon awaited, .* \{ axon \}/,
    });
  });

  test("takes no other thing for an Axon inside it", () => {
    refuses(
      () => a()["subgraph"]?.(undefined),
      "AXON_STEP_INVALID",
      /^subgraph\(\) of Axon 'a' .* undefined: where two modules import each other/,
    );
    refuses(() => a()["subgraph"]?.(run), "AXON_STEP_INVALID", /a function: make one by Axon\.start/);
    refuses(() => a()["branch"]?.("pilot", {}), "AXON_STEP_INVALID", /^branch\('pilot'\) of Axon 'a'/);
  });

  test("refuses a policy of retries that is none, wherever it is given", () => {
    const retry = { retries: 3 };
    const none = /The retry of .*: make one, as in RetryPolicy\.fixed\(3, 100\)/;

    refuses(() => a()["thenWithRetry"]?.(step, retry), "CONFIG_INVALID", none);
    refuses(() => a()["thenCompensated"]?.(step, run, { retry }), "CONFIG_INVALID", none);
    refuses(() => a()["thenCompensated"]?.(step, run, { step: { retry } }), "CONFIG_INVALID", none);
    refuses(() => a()["compensateWith"]?.(run, { retry }), "CONFIG_INVALID", none);
    refuses(() => SagaPolicy.enabled({ retry } as never), "CONFIG_INVALID", none);
  });

  test("refuses a sink that can be sent nothing", () => {
    for (const sink of [undefined, {}, run])
      for (const call of ["withEventSink", "withDlqSink"])
        refuses(() => a()[call]?.(sink), "CONFIG_INVALID", /of Axon 'a': .*no function 'send'/);
  });

  test("refuses a budget of nothing, and one that no run could meet", () => {
    for (const [budget, message] of [
      [{}, /give p99Ms, bytes, or both/],
      [{ p99Ms: 0 }, /p99Ms is 0: give milliseconds above 0/],
      [{ bytes: 1.5 }, /bytes must be a whole number/],
      [{ p99: 5 }, /'p99' is no option; there are p99Ms, bytes/],
    ] as const)
      refuses(() => a()["budget"]?.(budget), "CONFIG_INVALID", message);
  });

  test("passes over no option and no declaration that it does not know", () => {
    const unknown = (call: () => unknown) => refuses(call, "CONFIG_INVALID", /'misspelt'.*; there are /);
    const misspelt = { misspelt: 1 };

    unknown(() => transition({ name: "s", run, ...misspelt } as never));
    unknown(() => a()["thenFn"]?.("s", run, misspelt));
    unknown(() => a()["withPersistenceStore"]?.(new MemoryRuns(), misspelt));
    unknown(() => SagaPolicy.enabled(misspelt as never));
    unknown(() => new (made(MemoryRuns))(misspelt));
    unknown(() => new (made(MemoryDeadLetters))(misspelt));
  });
});
