import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Type } from "framework";
import { exportSchematic } from "framework/runtime";

describe("the export of a Schematic", () => {
  const make = () =>
    Axon.start("orders", Type.Object({ qty: Type.Integer() }))
      .thenFn("price", ({ qty }) => qty * 2)
      .subgraph(Axon.start<number>("pay").thenFn("charge", (n) => n));

  test("is the same text for the same code", () => {
    assert.equal(exportSchematic(make()), exportSchematic(make()));
    assert.match(
      exportSchematic(make()),
      /^\{\n {2}"schema_version": "1.0",\n {2}"id": "orders",[\s\S]*\n\}\n$/,
    );
  });

  test("says where steps stand only when it is asked to", () => {
    assert.doesNotMatch(exportSchematic(make()), /source_location/);
    const { nodes } = JSON.parse(exportSchematic(make(), { sourceLocations: true }));
    assert.equal(nodes[1].source_location.file, "native-tests/runtime/export-schematic.test.ts");
  });
});
