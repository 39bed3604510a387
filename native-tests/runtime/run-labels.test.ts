import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type } from "@sinclair/typebox";

import { fault } from "#core/bus/outcome.js";
import { Public, Sensitive } from "#core/secrets/sensitive.js";
import type { Recorder, TracedRun } from "#core/timeline/recorder.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { redrive } from "#runtime/axon/redrive.js";
import { Program } from "#runtime/compile/program.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { AxonTestKit } from "#runtime/testing/axon-test-kit.js";
import { labelsContract } from "../contracts/executor-labels.js";
import { executors } from "../support/executors.js";

for (const executor of executors) labelsContract(executor);

const text = Type.String({ maxLength: 100 });
const compiled = (axon: unknown) => new Program((axon as AnyAxon).definition, { production: true });

describe("withLabels", () => {
  test("refuses what is no short plain text, with the label and the remedy", () => {
    const cases: [string, unknown, RegExp][] = [
      ["order", Sensitive(text), /marked Sensitive/],
      ["order", Sensitive(text, { level: "internal" }), /marked Sensitive/],
      ["order", Type.String(), /add maxLength, at most 100/],
      ["order", Type.String({ maxLength: 101 }), /add maxLength, at most 100/],
      ["order", Type.Number(), /labels are texts/],
      ["order", Type.Optional(Type.Integer()), /labels are texts/],
      ["order", Type.Union([text, text]), /labels are texts/],
      ["order", Type.Literal("a"), /labels are texts/],
      ["order", undefined, /labels are texts/],
      ["order", { type: "string", maxLength: 5 }, /labels are texts/],
      ["the order", text, /letters, digits and underscores/],
      ["1st", text, /letters, digits and underscores/],
      ["", text, /letters, digits and underscores/],
      ["__proto__x", text, /letters, digits and underscores/],
      ["a:b", text, /letters, digits and underscores/],
      ["a".repeat(41), text, /letters, digits and underscores/],
      ["password", text, /a name by which values are masked/],
      ["apiToken", text, /a name by which values are masked/],
    ];
    for (const [name, schema, remedy] of cases)
      assert.throws(
        () => Axon.start("a").withLabels({ [name]: schema } as never),
        (error: Error & { readonly code: string }) => {
          assert.equal(error.code, "LABEL_SCHEMA_INVALID", name);
          assert.match(error.message, /^Axon 'a': withLabels, label '/);
          assert.match(error.message, remedy);
          return true;
        },
      );
    Axon.start("a").withLabels({ order: Public(text), A_1: Type.String({ maxLength: 0 }) });
    assert.throws(() => Axon.start("a").withLabels(undefined as never), { code: "LABEL_SCHEMA_INVALID" });
  });

  test("takes 8 labels in one call or several, and refuses the ninth, also with those of Axons inside", () => {
    const named = (count: number, prefix = "l") =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, text]));
    const eight = Axon.start("a").withLabels(named(7)).withLabels({ other: text });
    compiled(eight);

    assert.throws(() => eight.withLabels({ ninth: text }), { code: "LABEL_SCHEMA_INVALID" });
    assert.throws(() => Axon.start("a").withLabels(named(9)), { code: "LABEL_SCHEMA_INVALID" });
    assert.throws(() => compiled(eight.subgraph(Axon.start("b").withLabels(named(1, "m")))), {
      code: "LABEL_SCHEMA_INVALID",
      message: /^Axon 'a' with the Axons inside: 9 labels/,
    });
    compiled(eight.subgraph(Axon.start("b").withLabels(named(7))));
  });

  test("refuses an Axon whose step sets a label that no Axon around it declares", () => {
    const labelling = Axon.start("inner").thenFn("s", { labels: ["order"] }, (_, bus) =>
      bus.label("order", "1"),
    );
    assert.throws(() => compiled(labelling), {
      code: "LABEL_UNDECLARED",
      message:
        "Step 's' of Axon 'inner' sets the label 'order', which no Axon around it declares: add .withLabels({ order: Type.String({ maxLength: 100 }) })",
    });
    compiled(Axon.start("outer").subgraph(labelling).withLabels({ order: text }));
  });

  test("refuses two schemas for one label in one run", () => {
    const inner = Axon.start("inner").withLabels({ order: Type.String({ maxLength: 5 }) });
    assert.throws(() => compiled(Axon.start("outer").withLabels({ order: text }).subgraph(inner)), {
      code: "LABEL_SCHEMA_INVALID",
      message: /^Axon 'outer', label 'order' of 'inner'/,
    });
  });

  test("refuses a label outside production that the step does not declare, and in it one that no Axon does", () => {
    const axon = Axon.start<string>("a")
      .withLabels({ order: text })
      .thenFn("s", { labels: ["order"] }, (name, bus) =>
        bus.label(name as "order", "1"),
      ) as unknown as AnyAxon;
    const errorFor = (production: boolean, name: string): string => {
      const program = new Program(axon.definition, { production });
      const outcome = program.run(name, program.acquire());
      return (outcome as { readonly error: { readonly cause: { readonly code: string } } }).error.cause.code;
    };

    assert.equal(errorFor(false, "other"), "BUS_ACCESS_DENIED");
    assert.equal(errorFor(true, "other"), "LABEL_UNDECLARED");
    assert.equal(errorFor(true, "constructor"), "LABEL_UNDECLARED");
  });
});

describe("labels of a run", () => {
  test("are told to its recorder, at its end too, and none of another run", () => {
    const told: unknown[] = [];
    const recorder: Recorder = {
      begun: ({ labels }) => void told.push(labels),
      ended: ({ labels }) => void told.push(labels),
    };
    const axon = Axon.start<string>("a")
      .withLabels({ order: text })
      .thenFn("s", { labels: ["order"] }, (id, bus) => {
        if (id !== "") bus.label("order", id);
      }) as unknown as AnyAxon;
    const program = new Program(axon.definition, { recorder, production: true });
    program.watch?.watch({ kind: "all" });
    for (const id of ["1", ""]) program.run(id, program.acquire());

    assert.deepEqual(told, [undefined, { order: "1" }, undefined, undefined]);
  });

  test("are those of the run also once its state has another one", () => {
    const ended: TracedRun[] = [];
    const recorder: Recorder = { ended: (run) => void ended.push(run) };
    const axon = Axon.start<string>("a")
      .withLabels({ order: text })
      .thenFn("s", { labels: ["order"] }, (id, bus) => {
        if (id !== "") bus.label("order", id);
      }) as unknown as AnyAxon;
    const program = new Program(axon.definition, { recorder, production: true });
    program.watch?.watch({ kind: "all" });
    for (const id of ["1", "", "2"]) program.run(id, program.acquire());

    assert.deepEqual(
      ended.map(({ labels }) => labels),
      [{ order: "1" }, undefined, { order: "2" }],
    );
  });

  test("are in the result of a test kit, none as an empty object", async () => {
    const axon = Axon.start<string>("a")
      .withLabels({ order: text })
      .thenFn("s", { labels: ["order"] }, (id, bus) => {
        if (id !== "") bus.label("order", id);
      });
    const kit = new AxonTestKit();

    assert.deepEqual((await kit.run(axon, "1")).labels, { order: "1" });
    assert.deepEqual((await kit.run(axon, "")).labels, {});
  });

  test("come back with a letter that is re-driven, kept or not", async () => {
    for (const runs of [undefined, new MemoryRuns()]) {
      const letters = new MemoryDeadLetters();
      const plain = Axon.start<string>("a").withLabels({ order: text, tries: text });
      const axon = (runs === undefined ? plain : plain.withPersistenceStore(runs))
        .withDlqSink(letters)
        .thenFn("label", { labels: ["order"] }, (id, bus) => {
          bus.label("order", id);
          return id;
        })
        .thenFn("fail", { labels: ["tries"] }, (_, bus) => {
          bus.label("tries", "some");
          return fault({ kind: "no" });
        });
      await axon.execute("1");
      const [first] = letters.list();
      await redrive(letters, first?.id ?? "", axon as unknown as AnyAxon);

      const [letter] = letters.list();
      assert.equal(letter?.attempts, 2);
      assert.deepEqual(letter?.labels, { order: "1", tries: "some" });
    }
  });
});
