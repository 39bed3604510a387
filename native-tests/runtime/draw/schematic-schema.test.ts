import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";

import { Axon } from "framework";
import type { Schematic, SchematicNode } from "framework/core";
import { exportSchematic, ManualClock, SchematicSchema } from "framework/runtime";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { buildAxon } from "../../support/random-axon.js";
import { type AxonPlan, axonPlan } from "../../support/random-plan.js";
import { moduleOf } from "../../support/root.js";

const PUBLISHED = "docs/schematic.schema.json";

const build = (plan: AxonPlan): AnyAxon =>
  buildAxon(plan, { effects: [], abort: () => {}, clock: new ManualClock(), letters: { send: () => {} } });

/** Each level: the Schematic itself, and those of its subgraphs. */
const levelsOf = (schematic: Schematic): readonly Schematic[] => [
  schematic,
  ...schematic.nodes.flatMap((node) => (node.schematic === undefined ? [] : levelsOf(node.schematic))),
];

function requireWellFormed(axon: AnyAxon): void {
  const text = exportSchematic(axon);
  const schematic = JSON.parse(text) as Schematic;
  const [error] = Value.Errors(SchematicSchema, schematic);
  assert.equal(error, undefined, `${error?.path}: ${error?.message}`);

  const levels = levelsOf(schematic);
  const ids = levels.flatMap(({ nodes }) => nodes.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, `ids that are not unique: ${ids.sort().join(" ")}`);
  for (const { nodes, edges } of levels) {
    const own = new Map(nodes.map((node) => [node.id, node]));
    for (const { from, to } of edges) assert.ok(own.has(from) && own.has(to), `${from} -> ${to}`);
    for (const { compensation_node_id: undo } of nodes) assert.ok(undo === undefined || own.has(undo), undo);
  }
  assert.doesNotMatch(text, /source_location/);
}

/** What the modules of the examples export, but for those that start servers, and clients, which need packages of their own. */
async function exampleAxons(): Promise<readonly (readonly [string, AnyAxon])[]> {
  const files = readdirSync("examples", { recursive: true })
    .map(String)
    .filter(
      (name) =>
        name.endsWith(".ts") && !/(^|\/)(main|start)\.ts$|\.test\.ts$|conformance|\/clients\//.test(name),
    );
  const axons: (readonly [string, AnyAxon])[] = [];
  for (const file of files.sort()) {
    const exported: object = await import(pathToFileURL(moduleOf(`examples/${file}`)).href);
    for (const [name, value] of Object.entries(exported))
      if (value instanceof Axon) axons.push([`${file} ${name}`, value as AnyAxon]);
  }
  return axons;
}

describe("the JSON Schema of a Schematic", () => {
  test("is published as it is", () => {
    const text = `${JSON.stringify(SchematicSchema, null, 2)}\n`;
    if (process.env["FRAMEWORK_WRITE_SCHEMA"] === "1") writeFileSync(PUBLISHED, text);

    assert.equal(
      readFileSync(PUBLISHED, "utf8"),
      text,
      `${PUBLISHED} is out of date: FRAMEWORK_WRITE_SCHEMA=1 npm test -- native-tests/runtime/draw/schematic-schema.test.ts writes it`,
    );
  });

  test("holds for the Schematic of each example's Axons, whose ids are unique and whose edges end", async () => {
    const axons = await exampleAxons();

    assert.ok(axons.length >= 10, `${axons.length} Axons`);
    for (const [, axon] of axons) requireWellFormed(axon);
  });

  test("holds for random Axons, with locations too, and the same plan gives the same bytes", () => {
    fc.assert(
      fc.property(axonPlan, (plan) => {
        const axon = build(plan);

        requireWellFormed(axon);
        assert.equal(exportSchematic(axon), exportSchematic(build(plan)));
        assert.ok(Value.Check(SchematicSchema, JSON.parse(exportSchematic(axon, { sourceLocations: true }))));
      }),
      { numRuns: 300 },
    );
  });

  test("allows nothing that a Schematic does not have, at any level", () => {
    const inner = Axon.start<number>("inner").thenFn("step", (n) => n);
    const read = (): { nodes: SchematicNode[] } =>
      JSON.parse(exportSchematic(Axon.start<number>("outer").subgraph(inner) as AnyAxon));
    const levels = (schematic: { nodes: SchematicNode[] }): object[] => [
      schematic,
      schematic.nodes[1] as object,
      schematic.nodes[1]?.schematic as object,
      schematic.nodes[1]?.schematic?.nodes[1] as object,
      schematic.nodes[1]?.schematic?.edges[0] as object,
    ];

    for (const level of levels(read()).keys()) {
      const schematic = read();
      assert.ok(Value.Check(SchematicSchema, schematic));
      Object.assign(levels(schematic)[level] as object, { stray: 1 });
      assert.ok(!Value.Check(SchematicSchema, schematic), `level ${level}`);
    }
  });
});
