// What the circuit view makes of metrics: figures of nodes that are not measured, names, orders.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Schematic } from "../../../src/core/flow/schematic.js";
import { nodeIn, nodeName } from "../../../src/inspector/ui/format/node-name.js";
import { inOrder } from "../../../src/inspector/ui/table/rows.js";
import {
  figuresOf,
  type HeatBy,
  heatValue,
  levelOf,
} from "../../../src/inspector/ui/views/circuit/figures.js";
import { checkout, metricsOf, placeOrder } from "../../support/inspector-fixture-data.js";
import { busyState } from "../../support/inspector-fixture-state.js";

const { circuits } = metricsOf(busyState().loads, 0);
const named = (name: string) => circuits.find(({ circuit }) => circuit === name) as (typeof circuits)[number];

/** The heat of each node. */
function levels({ of }: ReturnType<typeof figuresOf>, by: HeatBy): ReadonlyMap<string, number> {
  const values = [...of].map(([id, figures]) => [id, heatValue(figures, "Atom", by)] as const);
  const most = Math.max(...values.map(([, value = 0]) => value));
  return new Map(values.map(([id, value]) => [id, levelOf(value, by, most)]));
}

describe("a node", () => {
  test("is hottest where the p99 is highest, and cold where nothing happened", () => {
    const busy = figuresOf(placeOrder(), named("place-order").nodes, 60);

    assert.equal(levels(busy, "p99").get("place-order/reserve"), 4);
    assert.equal(busy.slow, "p99_us");
    assert.equal(figuresOf(placeOrder(), named("export-ledger").nodes, 60).of.size, 0);
    assert.equal(levels(busy, "errors").get("place-order/price"), 0);
    for (const by of ["rate", "refused", "time"] as const)
      assert.ok(
        [...levels(busy, by).values()].some((level) => level > 0),
        by,
      );
  });
});

describe("a node that is not measured itself", () => {
  const nodes = named("checkout").nodes.filter(
    ({ kind }) => kind !== "Subgraph" && kind !== "FanIn" && kind !== "Ingress" && kind !== "Egress",
  );
  const [fanOut] = nodes.filter(({ kind }) => kind === "FanOut");
  const { of } = figuresOf(joined(), nodes, 60);

  test("has, as a subgraph, the runs, errors and slowest node of what is inside", () => {
    const pay = of.get("checkout/pay");
    const inside = nodes.filter(({ node }) => node.startsWith("checkout/pay/"));
    const slowest = inside.reduce((a, b) => {
      return (of.get(b.node)?.slowUs ?? 0) > (of.get(a.node)?.slowUs ?? 0) ? b : a;
    });

    assert.ok(inside.length > 1);
    assert.equal(pay?.window.count, of.get(inside[0]?.node ?? "")?.window.count);
    assert.equal(pay?.slowest, slowest.node);
    assert.equal(pay?.slowUs, of.get(slowest.node)?.slowUs);
  });

  test("has, as a join, the figures of its fan-out without the runs that faulted", () => {
    assert.ok(fanOut !== undefined);
    const faulted = { ...fanOut, windows: fanOut.windows.map((window) => ({ ...window, faults: 10 })) };
    const all = nodes.map((node) => (node === fanOut ? faulted : node));
    const join = figuresOf(joined(), all, 60).of.get(`${fanOut.node}:join`);

    assert.equal(join?.window.count, (of.get(fanOut.node)?.window.count ?? 0) - 10);
    assert.equal(join?.window.latency, of.get(fanOut.node)?.window.latency);
  });

  /** As the runtime names a join. */
  function joined(): Schematic {
    const { nodes: drawn, ...rest } = checkout();
    const fan = drawn.find(({ kind }) => kind === "FanOut")?.id;
    return {
      ...rest,
      nodes: drawn.map((one) => (one.kind === "FanIn" ? { ...one, id: `${fan}:join` } : one)),
    };
  }
});

describe("the name of a node", () => {
  test("is its path in the circuit, the same for each place of the page", () => {
    for (const [id, name] of [
      ["orders/pay", "pay"],
      ["orders/pay#2", "pay#2"],
      ["orders/in", "in"],
      ["orders:in", "input"],
      ["orders/pay:out", "pay output"],
      ["orders:guard/Limit", "Limit"],
      ["orders/pay:layer/cache", "pay/cache"],
      ["orders:iam", "iam"],
      ["orders/quote:join", "quote join"],
      ["orders/rate:loyal/discount", "rate:loyal/discount"],
      ["orders/a%2fb", "a/b"],
    ] as const)
      assert.equal(nodeName(id), name);
    assert.equal(nodeIn("orders", "orders/pay"), "orders · pay");
  });
});

describe("rows in an order", () => {
  const rows = [{ name: "b", rate: 2 }, { name: "a" }, { name: "c", rate: 9 }];
  const columns = [
    { title: "Name", order: (row: (typeof rows)[number]) => row.name },
    { title: "Rate", order: (row: (typeof rows)[number]) => row.rate },
  ];
  const names = (sorted: string) =>
    inOrder(rows, columns, sorted)
      .map(({ name }) => name)
      .join("");

  test("are by the column, rows without a value last in both directions, and as given without one", () => {
    assert.deepEqual(["Name", "-Name", "Rate", "-Rate", "", "Gone"].map(names), [
      ...["abc", "cba", "bca", "cba", "bac", "bac"],
    ]);
  });
});
