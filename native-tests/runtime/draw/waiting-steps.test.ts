import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Value } from "@sinclair/typebox/value";
import { Axon, fault, Stores, signal, Type } from "framework";
import { SchematicSchema } from "framework/runtime";

const Approved = signal<string>()("approved", Type.String());
const Rejected = signal<number>()("rejected", Type.Number());
const pay = Axon.start<number>("pay")
  .thenFn("pay", (n) => n)
  .withPersistenceStore(Stores.mounted);
const late = Axon.start<number>("late").sleep("until", () => new Date(0));
const claim = Axon.start<number>("claim")
  .sleep("night", 1000)
  .startRun(pay)
  .awaitRun(pay)
  .waitForAny([Approved, Rejected], { timeoutMs: 5000, onTimeout: "late", take: (n) => n })
  .branch("late", late)
  .waitFor(Approved, { name: "again", timeoutMs: 1, onTimeout: fault("late") })
  .continueAs((text) => text.length);

describe("a step that waits", () => {
  test("is drawn with what ends the wait", () => {
    const schematic = claim.schematic();
    const drawn = schematic.nodes.map(({ id, kind, waits, starts, timeout_ms }) => ({
      ...{ id, kind },
      ...(waits && { waits }),
      ...(starts && { starts }),
      ...(timeout_ms !== undefined && { timeout_ms }),
    }));

    assert.deepEqual(drawn, [
      { id: "claim:in", kind: "Ingress" },
      { id: "claim/night", kind: "Wait", waits: { for: "time", ms: 1000 } },
      { id: "claim/start pay", kind: "Start", starts: "pay" },
      { id: "claim/await pay", kind: "Wait", waits: { for: "run", axon: "pay" } },
      {
        id: "claim/wait for approved or rejected",
        kind: "Wait",
        waits: {
          for: "signal",
          signals: [
            { name: "approved", schema: Approved.schema },
            { name: "rejected", schema: Rejected.schema },
          ],
        },
        timeout_ms: 5000,
      },
      {
        id: "claim/wait for approved or rejected:late/until",
        kind: "Wait",
        waits: { for: "time" },
      },
      {
        id: "claim/again",
        kind: "Wait",
        waits: { for: "signal", signals: [{ name: "approved", schema: Approved.schema }] },
        timeout_ms: 1,
      },
      { id: "claim/continue", kind: "Wait", waits: { for: "continue" } },
      { id: "claim:out", kind: "Egress" },
    ]);
    assert.ok(Value.Check(SchematicSchema, JSON.parse(JSON.stringify(schematic))));
  });

  test("answers the payload's schema, unless `take` makes another value", () => {
    const outputOf = (axon: { readonly schematic: typeof claim.schematic }) =>
      axon.schematic().nodes.find(({ kind }) => kind === "Egress")?.output_schema;

    assert.deepEqual(outputOf(Axon.start<number>("a").waitFor(Approved)), Approved.schema);
    assert.equal(outputOf(Axon.start<number>("a").waitFor(Approved, { take: (n) => n })), undefined);
  });

  test("is explained in words", () => {
    const lines = claim.explain().replaceAll(/ {2}\(.*\)/g, "");

    assert.equal(
      lines,
      `claim 1.0.0
  1 night                          sleeps 1000 ms
  2 start pay                      begins a run of pay; writes run:pay
  3 await pay                      waits for the run of pay; reads run:pay
  4 wait for approved or rejected  waits for approved or rejected, at most 5000 ms; branches to late
    late: late
      1 until  sleeps until a time of the run
  5 again                          waits for approved, at most 1 ms
  6 continue                       goes on from the first step in a new log
`,
    );
  });
});
