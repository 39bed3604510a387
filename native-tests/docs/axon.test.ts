// The pages of the Axon show examples, what explain() prints of them and Timelines of their runs; and of each example
// explain(), the Schematic and the Timeline tell the same story.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { Axon } from "framework";
import type { SchematicNode, TimelineEvent } from "framework/core";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { moduleOf } from "../support/root.js";
import { Drawing, follow, linesOf, saying } from "./drawing.js";
import { exampleRuns } from "./example-runs.js";
import { anchorOf, pageAt } from "./page.js";

const shown = ["axon", "failures", "durability", "watching"].map((name) => pageAt(`docs/${name}.md`));
const page = shown.map(({ text }) => text).join("\n");
const blocks = shown.flatMap((each) => each.blocks);
const EXAMPLES = "examples/constructs";

const explainAbove = /^`\w+\.explain\(\)` prints:$/;
const timelineAbove = /^The Timeline of `(.+)`, (.+):$/;

/** Without the places in the source: a line added to an example would change each block below it. */
const withoutPlaces = (explained: string): string => explained.replace(/ +\([^()]*:\d+\)$/gm, "");

/** An event without its times. */
function told({ kind, node, ...event }: TimelineEvent): string {
  const more = Object.entries(event).filter(([name]) => !name.endsWith("_us"));
  return `${kind.padEnd(13)} ${[node, ...more.map(([, value]) => value)].join("  ")}`;
}

const rows = page
  .slice(page.indexOf("## The calls"), page.indexOf("## Steps\n"))
  .split("\n")
  .filter((line) => line.startsWith("| `"));

describe("the pages of the Axon", () => {
  test("has no fence that these tests do not read", () => {
    assert.deepEqual(
      blocks
        .filter(
          ({ language, above }) =>
            language !== "ts" && !explainAbove.test(above) && !timelineAbove.test(above),
        )
        .map(({ above }) => above),
      [],
    );
  });

  test("shows each of the examples", () => {
    const linked = blocks.map(({ above }) => /\((?:\.\.\/)(.+)\)/.exec(above)?.[1]);

    assert.deepEqual(
      readdirSync(EXAMPLES)
        .filter((name) => !name.endsWith(".test.ts"))
        .filter((name) => !linked.includes(join(EXAMPLES, name))),
      [],
    );
  });

  test("shows what explain() prints", () => {
    const explained = blocks.filter(
      ({ language, above }) => language === "text" && !timelineAbove.test(above),
    );

    assert.ok(explained.length > 15);
    for (const { text } of explained) {
      const [, name = ""] = /^(\S+) \d+\.\d+\.\d+\n/.exec(text) ?? [];
      const run = exampleRuns.find(({ axon }) => axon.name === name);

      assert.ok(run, `an Axon of the examples, not ${text.split("\n")[0]}`);
      assert.equal(text, withoutPlaces(run.axon.explain()));
    }
  });

  test("shows Timelines of runs as they are", async () => {
    const timelines = blocks.filter(({ above }) => timelineAbove.test(above));

    assert.ok(timelines.length > 8);
    for (const { above, text } of timelines) {
      const [, name, about] = timelineAbove.exec(above) ?? [];
      const run = exampleRuns.find((each) => each.axon.name === name && each.about === about);

      assert.ok(run, `a run of the examples, not ${above}`);
      const { timeline } = await run.run();
      assert.equal(text, `${timeline.events.map(told).join("\n")}\n`);
    }
  });

  test("has a section for each call of the table, and a row for each section with a program", () => {
    const linked = rows.flatMap((row) =>
      [...row.matchAll(/\((?:[a-z-]+\.md)?#([^)]+)\)/g)].map(([, anchor]) => anchor),
    );
    const sections = page
      .split(/^## /m)
      .slice(1)
      .filter((section) => section.includes("```ts"))
      .map((section) => anchorOf(section.split("\n")[0] ?? ""));

    assert.ok(rows.every((row) => /\((?:[a-z-]+\.md)?#/.test(row)));
    assert.deepEqual(
      sections.filter((section) => !linked.includes(section)),
      ["what-does-not-compile"],
    );
  });

  test("has a row for each call of an Axon", () => {
    const prototypes = [Axon.prototype, Object.getPrototypeOf(Axon.prototype)];
    const calls = [...prototypes.flatMap(Object.getOwnPropertyNames), "start", "new", "simple"];
    const table = rows.join("\n");

    assert.deepEqual(
      calls.filter((call) => call !== "constructor" && !new RegExp(`[\`.]${call}\\b`).test(table)),
      [],
    );
  });
});

test("each Axon that an example exports is run here", async () => {
  const exported = (
    await Promise.all(
      [EXAMPLES, "examples/orders", "examples/nodes"].flatMap((folder) =>
        readdirSync(folder)
          .filter((name) => name.endsWith(".ts") && !/main|\.test\./.test(name))
          .map(
            (name) =>
              import(pathToFileURL(moduleOf(join(folder, name))).href) as Promise<Record<string, unknown>>,
          ),
      ),
    )
  )
    .flatMap((module) => Object.values(module))
    .filter((value): value is AnyAxon => value instanceof Axon);
  const run = new Set<AnyAxon>(exampleRuns.map(({ axon }) => axon));

  assert.ok(exported.length > 20);
  assert.deepEqual(
    exported.filter((axon) => !run.has(axon)).map(({ name }) => name),
    [],
  );
});

for (const { axon, about, run } of exampleRuns) {
  describe(`${axon.name}: ${about}`, () => {
    const drawing = new Drawing(axon.schematic());

    test("happens at nodes that are drawn", async () => {
      const { timeline } = await run();

      assert.ok(timeline.events.length > 0);
      assert.deepEqual(
        timeline.events.map(({ node }) => node).filter((node) => !drawing.byId.has(node)),
        [],
      );
    });

    test("goes along edges that are drawn, from the Ingress to the end or to a fault", async () => {
      const { timeline } = await run();
      const ingress = axon.schematic().nodes.find(({ kind }) => kind === "Ingress") as SchematicNode;
      const begin = [ingress.id, ...drawing.after(ingress.id, () => true)];

      for (const [part, events] of linesOf(drawing, timeline))
        assert.deepEqual(follow(drawing, events, part === "" ? begin : [part]), []);
    });

    test("undoes only what is drawn with something that undoes it", async () => {
      const { timeline } = await run();
      const undone = timeline.events.filter(({ kind }) => kind === "compensated");

      for (const { node } of undone) {
        const undo = drawing.byId.get(node)?.compensation_node_id ?? "";
        assert.ok(drawing.edges.some(({ from, to }) => from === node && to === undo));
      }
    });
  });
}

for (const axon of new Set(exampleRuns.map((each) => each.axon))) {
  describe(`${axon.name}, drawn`, () => {
    const drawing = new Drawing(axon.schematic());

    test("has nodes with ids of their own, and edges that end at them", () => {
      assert.equal(drawing.byId.size, drawing.nodes.length);
      for (const { from, to } of drawing.edges) {
        assert.ok(drawing.byId.has(from), from);
        assert.ok(drawing.byId.has(to), to);
      }
    });

    test("is named in explain(), each step with what it is", () => {
      const lines = axon.explain().split("\n");
      const undoes = new Set(drawing.nodes.map((node) => node.compensation_node_id));

      for (const { id, label, kind, retry, timeout_ms, emits = [] } of drawing.nodes) {
        const says = saying(kind, label, undoes.has(id));
        const line = lines.find((each) => says.test(each)) ?? "";
        assert.match(axon.explain(), says, label);
        assert.equal(line.includes("a service outside"), kind === "Synapse", label);
        assert.ok(retry === undefined || line.includes(`after ${retry.backoff}`), label);
        assert.ok(timeout_ms === undefined || line.includes(`within ${timeout_ms} ms`), label);
        for (const event of emits) assert.ok(line.includes(event), label);
      }
    });

    test("is the same in two exports, byte for byte", () => {
      assert.equal(JSON.stringify(axon.schematic()), JSON.stringify(axon.schematic()));
    });
  });
}
