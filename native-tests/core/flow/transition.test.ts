import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, synapse, transition, workerModule, workerTransition } from "framework";

const Total = busKey<number>()("Total");
const work = workerModule<typeof import("../../support/pool-work.js")>(
  new URL("../../support/pool-work.js", import.meta.url),
);
/** As a program without types calls it. */
const untyped = (make: unknown) => make as (definition: object) => unknown;
const same = (n: number): number => n;

describe("what a replay makes of a step", () => {
  test("is drawn where the step declares it, and nowhere else", () => {
    const axon = Axon.start<number>("a")
      .then(transition({ name: "sum", pure: true, run: same }))
      .then(transition({ name: "plain", run: same }))
      .then(synapse({ name: "ask", effect: true, call: same }))
      .thenFn("mail", { effect: true, sets: { total: Total } }, (n, bus) => {
        bus.total = n;
        return n;
      })
      .offload(workerTransition({ name: "burn", module: work, export: "spin", pure: true }));

    const drawn = axon.schematic().nodes.map(({ label, replay }) => [label, replay]);
    assert.deepEqual(drawn.slice(1, -1), [
      ["sum", "pure"],
      ["plain", undefined],
      ["ask", "effect"],
      ["mail", "effect"],
      ["burn", "pure"],
    ]);
    assert.match(axon.explain(), /sum {2,}pure {2}\(/);
    assert.match(axon.explain(), /ask {2,}a service outside; an effect {2}\(/);
    assert.match(axon.explain(), /mail {2,}an effect; writes Total {2}\(/);
  });

  const both = { name: "mail", pure: true, effect: true, run: same } as const;
  const refused = (message: RegExp) => ({ code: "CONFIG_INVALID", message });

  test("is one of two: a step that declares both is refused where it is made", () => {
    const exclude = refused(/^Step 'mail': 'pure' and 'effect' exclude each other.*leave one out$/);
    assert.throws(() => transition(both), exclude);
    assert.throws(() => Axon.start<number>("a").thenFn("mail", same, { pure: true, effect: true }), exclude);
    assert.throws(() => Axon.start<number>("a").then({ ...both }), exclude);
    assert.throws(
      () => workerTransition({ name: "mail", module: work, export: "spin", pure: true, effect: true }),
      exclude,
    );
  });

  test("is true or left out: other values are refused", () => {
    const make = untyped(transition);
    assert.throws(
      () => make({ ...both, pure: undefined, effect: "mail" }),
      refused(/'effect' is mail: give true/),
    );
    assert.throws(() => make({ ...both, pure: false }), refused(/'pure' is false: give true/));
  });

  test("is never pure for a synapse", () => {
    const make = untyped(synapse);
    assert.throws(
      () => make({ name: "ask", call: same, pure: true }),
      refused(/'ask': a synapse calls a service/),
    );
  });
});
