import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import type { EdgeKind, NodeKind, Schematic, SchematicNode } from "../../../src/core/flow/schematic.js";
import { arrange, type Box, type Drawing } from "../../../src/inspector/ui/layout/arrange.js";
import { isInViewport, viewportOf } from "../../../src/inspector/ui/layout/viewport.js";
import { checkout, largeCircuit, placeOrder } from "../../support/inspector-fixture-data.js";

const KINDS: readonly NodeKind[] = [
  "Ingress",
  "Guard",
  "Layer",
  "Iam",
  "Atom",
  "Synapse",
  "Audit",
  "FanOut",
  "FanIn",
  "Egress",
];
const EDGES: readonly EdgeKind[] = [
  "Linear",
  "Linear",
  "Linear",
  "Branch",
  "Parallel",
  "Jump",
  "Compensation",
];

/** Any nodes and any edges between them: rings, islands and doubles included. */
const anySchematic: fc.Arbitrary<Schematic> = fc
  .tuple(
    fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 16 }),
    fc.array(fc.tuple(fc.nat(15), fc.nat(15), fc.constantFrom(...EDGES)), { maxLength: 30 }),
  )
  .map(([kinds, edges]) => ({
    ...{ schema_version: "1.0", id: "s", name: "s", version: "1" },
    nodes: kinds.map((kind, n): SchematicNode => ({ id: `n${n}`, kind, label: `node ${n}` })),
    edges: edges.map(([from, to, kind]) => ({ from: `n${from}`, to: `n${to}`, kind })),
  }));

const anyWidth = fc.constantFrom(320, 640, 1040, 1680, Number.POSITIVE_INFINITY);

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function assertApart({ boxes }: Drawing): void {
  for (const [n, a] of boxes.entries())
    for (const b of boxes.slice(n + 1)) {
      if (a.shape === "group" || b.shape === "group") continue;
      assert.ok(!overlaps(a, b), `${a.node.id} stands on ${b.node.id}`);
    }
}

type Point = readonly [x: number, y: number];

/** The straight pieces of a path, of corner to corner. */
function piecesOf(d: string): readonly (readonly [Point, Point])[] {
  const corners = [...d.matchAll(/[MLQ](-?[\d.]+) (-?[\d.]+)/g)].map(
    ([, x, y]): Point => [Number(x), Number(y)],
  );
  return corners.slice(1).map((corner, n) => [corners[n] as Point, corner]);
}

const crosses = ([ax, ay]: Point, [bx, by]: Point, { x, y, width, height }: Box): boolean =>
  Math.max(ax, bx) > x &&
  Math.min(ax, bx) < x + width &&
  Math.max(ay, by) > y &&
  Math.min(ay, by) < y + height;

const byId = ({ boxes }: Drawing, id: string): Box => boxes.find(({ node }) => node.id === id) as Box;

describe("a drawing of a Schematic", () => {
  test("has each node once, apart from the others, inside its size, at any width (GY1)", () => {
    fc.assert(
      fc.property(anySchematic, anyWidth, (schematic, width) => {
        const drawing = arrange(schematic, new Set(), width);

        assert.deepEqual(
          drawing.boxes.map(({ node }) => node.id).sort(),
          schematic.nodes.map(({ id }) => id).sort(),
        );
        assertApart(drawing);
        for (const { x, y, width, height } of drawing.boxes) {
          assert.ok(x >= 0 && y >= 0 && x + width <= drawing.width && y + height <= drawing.height);
        }
      }),
    );
  });

  for (const kind of ["Guard", "Atom"] as const)
    test(`has each node of a ring, which none begins: ${kind}`, () => {
      const ids = ["a", "b", "c"];
      const nodes = ids.map((id): SchematicNode => ({ id, kind, label: id }));
      const edges = ids.map((from, n) => ({ from, to: ids[(n + 1) % 3] as string, kind: "Linear" as const }));
      const { boxes } = arrange({ schema_version: "1.0", id: "s", name: "s", version: "1", nodes, edges });

      assert.deepEqual(boxes.map(({ node }) => node.id).sort(), ids);
    });

  test("is the same each time", () => {
    fc.assert(
      fc.property(anySchematic, (schematic) => assert.deepEqual(arrange(schematic), arrange(schematic))),
    );
  });

  test("leads from left to right, but for what goes back (GY2)", () => {
    fc.assert(
      fc.property(anySchematic, (schematic) => {
        // Without rings each edge of the flow leads on.
        const rank = (id: string) => Number(id.slice(1));
        const edges = schematic.edges.filter(
          ({ from, to, kind }) => kind !== "Compensation" && rank(from) < rank(to),
        );
        const drawing = arrange({ ...schematic, edges });

        for (const { from, to, kind } of edges) {
          const [a, b] = [byId(drawing, from), byId(drawing, to)];
          if (a === undefined || b === undefined || kind === "Jump") continue;
          assert.ok(
            a.x + a.width <= b.x || (a.shape === "slim" && b.shape === "slim" && a.x === b.x),
            `${from} to ${to}`,
          );
        }
      }),
    );
  });

  test("draws a straight line of steps straight (GY3)", () => {
    const { boxes } = arrange(placeOrder());
    const steps = boxes.filter(({ node }) => ["price", "rate", "reserve", "accept"].includes(node.label));

    assert.equal(new Set(steps.map(({ y }) => y)).size, 1);
  });

  test("stacks what stands at the entrance, in the order in which it runs", () => {
    const slim = arrange(placeOrder()).boxes.filter(({ shape }) => shape === "slim");

    assert.deepEqual(
      slim.map(({ node }) => node.label),
      ["requestId", "AccessLogGuard", "RateLimitGuard", "customers", "IdempotencyGuard"],
    );
    assert.equal(new Set(slim.map(({ x }) => x)).size, 1);
    for (const [n, box] of slim.slice(1).entries())
      assert.equal(box.y, (slim[n] as Box).y + (slim[n] as Box).height);
  });

  test("lets branches leave below and rejoin, and stands what undoes a step below that step", () => {
    const drawing = arrange(placeOrder());
    const [rate, discount, reserve, release] = ["rate", "rate:loyal/discount", "reserve", "release"].map(
      (id) => byId(drawing, `place-order/${id}`),
    ) as [Box, Box, Box, Box];

    assert.ok(rate.x < discount.x && discount.x < reserve.x && discount.y > rate.y);
    assert.equal(release.x, reserve.x);
    assert.ok(release.y > discount.y);
  });

  test("opens a subgraph in place, with all of its inside in it", () => {
    const closed = arrange(checkout());
    const open = arrange(checkout(), new Set(["checkout/pay"]));
    const group = byId(open, "checkout/pay");
    const inside = open.boxes.filter(({ depth }) => depth === 1);

    assert.equal(closed.boxes.length + 4, open.boxes.length);
    assert.equal(group.shape, "group");
    assert.equal(inside.length, 4);
    for (const { x, y, width, height } of inside)
      assert.ok(
        x > group.x &&
          y > group.y &&
          x + width < group.x + group.width &&
          y + height < group.y + group.height,
      );
    assertApart(open);
  });

  test("of a fan-out stands its steps one below the other", () => {
    const drawing = arrange(checkout());
    const couriers = ["northern post", "harbour couriers", "bicycle"].map((name) =>
      byId(drawing, `checkout/${name}`),
    );

    assert.equal(new Set(couriers.map(({ x }) => x)).size, 1);
    assert.equal(new Set(couriers.map(({ y }) => y)).size, 3);
  });

  test("breaks into rows of its width, read like text", () => {
    const line = largeCircuit(60);
    for (const width of [320, 640, 1040]) {
      const drawing = arrange(line, new Set(), width);
      const rows = [...new Set(drawing.boxes.map(({ y }) => y))];

      assert.ok(drawing.width <= width, `${drawing.width} of ${width}`);
      assert.ok(rows.length > 3);
      for (const { from, to, kind } of line.edges) {
        const [a, b] = [byId(drawing, from), byId(drawing, to)];
        if (kind === "Linear") assert.ok(a.x < b.x || a.y < b.y, `${from} to ${to}`);
      }
    }
    assert.ok(arrange(checkout(), new Set(["checkout/pay"]), 640).width <= 640);
  });

  test("leads no wire through a box, at any width", () => {
    fc.assert(
      fc.property(anySchematic, anyWidth, (schematic, width) => {
        // A compensation is in the column of its step, with nothing that leads to it.
        const edges = schematic.edges.filter(({ kind }) => kind !== "Compensation");
        const { boxes, wires } = arrange({ ...schematic, edges }, new Set(), width);
        for (const { d, from, to } of wires) {
          for (const [a, b] of piecesOf(d))
            for (const box of boxes)
              assert.ok(!crosses(a, b, box), `${from} to ${to} through ${box.node.id}`);
        }
      }),
    );
  });

  test("of a thousand nodes is laid out, apart, without a stack as deep as it is long", () => {
    const drawing = arrange(largeCircuit(1000));

    assert.equal(drawing.boxes.length, 1000);
    const places = new Set(drawing.boxes.map(({ x, y }) => `${x} ${y}`));
    assert.equal(places.size, 1000);
    assert.equal(arrange(largeCircuit(20_000)).boxes.length, 20_000);
  });

  test("is drawn where it is seen: all of it where it is small, what is around the eyes where it is large", () => {
    const { boxes, wires } = arrange(largeCircuit(1000));
    const seen = (x: number) => {
      const sight = viewportOf(1000, { x, y: 0, width: 1000, height: 600 }, 24);
      const inside = { x: x - 24, y: 0, width: 1000, height: 600 };
      for (const box of boxes)
        if (isInViewport(box, inside)) assert.ok(isInViewport(box, sight), box.node.id);
      for (const { extent } of wires)
        if (isInViewport(extent, inside)) assert.ok(isInViewport(extent, sight));
      return boxes.filter((box) => isInViewport(box, sight)).length;
    };

    for (const x of [0, 1, 299, 5000, 123_456]) assert.ok(seen(x) < 40);
    assert.equal(viewportOf(300, { x: 0, y: 0, width: 1, height: 1 }, 0), undefined);
    assert.ok(boxes.every((box) => isInViewport(box, undefined)));
  });
});
