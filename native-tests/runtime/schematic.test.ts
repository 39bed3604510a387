import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";

import {
  Axon,
  type Budget,
  branch,
  busKey,
  DlqPolicy,
  emit,
  eventKind,
  jump,
  RetryPolicy,
  SagaPolicy,
  synapse,
  transition,
} from "framework";

const Total = busKey<number>()("Total");
const Accepted = eventKind<number>()("accepted");

const make = () => {
  const gift = Axon.start<number>("gift").thenFn("wrap", (n) => n);
  return Axon.start("orders", Type.Number())
    .withVersion("1.2.0")
    .label("again")
    .then(
      transition({
        name: "price",
        description: "Prices it",
        writes: [Total],
        run: (n: number, bus) => {
          bus.set(Total, n);
          return n;
        },
      }),
    )
    .thenFn("check", (n) => (n > 9 ? jump("again", n) : n > 5 ? branch("gift", n) : n), {
      jumps: ["again"],
      branches: ["gift"],
    })
    .branch("gift", gift)
    .thenFn("check", (n, bus) => emit(Accepted, n, n + bus.get(Total)), { reads: [Total], emits: [Accepted] })
    .withOutputSchema(Type.Number());
};

describe("schematic", () => {
  test("draws every step with what it declares, and where each outcome goes", () => {
    const { nodes, edges, ...top } = make().schematic();

    assert.deepEqual(top, { schema_version: "1.0", id: "orders", name: "orders", version: "1.2.0" });
    assert.deepEqual(
      nodes.map(({ id, kind }) => `${kind} ${id}`),
      [
        "Ingress orders:in",
        "Atom orders/price",
        "Atom orders/check",
        "Atom orders/check:gift/wrap",
        "Atom orders/check#2",
        "Egress orders:out",
      ],
    );
    assert.deepEqual(
      edges.map(({ from, to, kind, label }) => `${from} -> ${to} ${kind} ${label ?? ""}`.trim()).sort(),
      [
        "orders/check -> orders/check#2 Linear",
        "orders/check -> orders/check:gift/wrap Branch gift",
        "orders/check -> orders/price Jump again",
        "orders/check#2 -> orders:out Linear",
        "orders/check:gift/wrap -> orders/check#2 Linear",
        "orders/price -> orders/check Linear",
        "orders:in -> orders/price Linear",
      ],
    );
    const price = nodes.find(({ id }) => id === "orders/price");
    assert.deepEqual(price, {
      id: "orders/price",
      kind: "Atom",
      label: "price",
      description: "Prices it",
      bus_capability: { reads: [], writes: ["Total"], may_read: [], may_write: [], deletes: [] },
    });
    assert.deepEqual(nodes.find(({ id }) => id === "orders/check#2")?.emits, ["accepted"]);
    assert.deepEqual(
      [nodes.at(0)?.input_schema?.["type"], nodes.at(-1)?.output_schema?.["type"]],
      ["number", "number"],
    );
  });

  test("ends every edge at a node, each with an id of its own", () => {
    const { nodes, edges } = make().schematic();
    const ids = new Set(nodes.map(({ id }) => id));

    assert.equal(ids.size, nodes.length);
    for (const { from, to } of edges) assert.ok(ids.has(from) && ids.has(to), `${from} -> ${to}`);
  });

  test("of the same code is the same, byte for byte", () => {
    assert.equal(JSON.stringify(make().schematic()), JSON.stringify(make().schematic()));
  });

  test("has file and line of each step where they are asked for", () => {
    const located = make()
      .schematic({ sourceLocations: true })
      .nodes.map(({ source_location }) => source_location);

    assert.deepEqual(
      new Set(located.map((location) => location?.file)),
      new Set(["native-tests/runtime/schematic.test.ts", undefined]),
    );
    assert.ok(located.slice(0, -1).every((location) => Number(location?.line) > 0));
    assert.ok(
      make()
        .schematic()
        .nodes.every((node) => !("source_location" in node)),
    );
  });

  test("gives different steps different ids, whatever their names hold", () => {
    const odd = Axon.start<number>("a/b")
      .thenFn("x#2", (n) => n)
      .thenFn("x", (n) => n)
      .thenFn("x", (n) => n)
      .thenFn("y:z/w", (n) => n)
      .thenFn("%2f", (n) => n);
    const ids = odd.schematic().nodes.map(({ id }) => id);

    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids.slice(1, 4), ["a%2fb/x%232", "a%2fb/x", "a%2fb/x#2"]);
  });

  test("draws an Axon without steps from in to out", () => {
    assert.deepEqual(Axon.start("empty").schematic().edges, [
      { from: "empty:in", to: "empty:out", kind: "Linear" },
    ]);
  });

  test("draws what a branch checks on its way in and out, where a Timeline names it", () => {
    const sized = Axon.start("sized", Type.Number())
      .thenFn("cut", (n) => n)
      .withOutputSchema(Type.Number());
    const { nodes, edges } = Axon.start<number>("a")
      .thenFn("sort", (n) => (n > 5 ? branch("large", n) : n), { branches: ["large"] })
      .branch("large", sized)
      .thenFn("end", (n) => n)
      .schematic();

    assert.deepEqual(
      nodes.map(({ id, kind }) => `${kind} ${id}`),
      [
        "Ingress a:in",
        "Atom a/sort",
        "Ingress a/sort:large:in",
        "Atom a/sort:large/cut",
        "Egress a/sort:large:out",
        "Atom a/end",
        "Egress a:out",
      ],
    );
    assert.deepEqual(
      edges.filter(({ from, to }) => `${from}${to}`.includes("large")),
      [
        { from: "a/sort:large/cut", to: "a/sort:large:out", kind: "Linear" },
        { from: "a/sort:large:out", to: "a/end", kind: "Linear" },
        { from: "a/sort:large:in", to: "a/sort:large/cut", kind: "Linear" },
        { from: "a/sort", to: "a/sort:large:in", kind: "Branch", label: "large" },
      ],
    );
  });

  test("draws a jump past the last step to the end", () => {
    const leaving = Axon.start<number>("x")
      .thenFn("go", (n) => (n > 0 ? jump("end", n) : n), { jumps: ["end"] })
      .label("end");

    assert.ok(leaving.schematic().edges.some(({ kind, to }) => kind === "Jump" && to === "x:out"));
  });
});

describe("explain", () => {
  test("tells the structure, a line a step", () => {
    const text = make().explain();
    const here = / {2}\(native-tests\/runtime\/schematic\.test\.ts:\d+\)$/gm;

    assert.equal(text.match(here)?.length, 4);
    assert.equal(
      text.replaceAll(here, ""),
      [
        "orders 1.2.0",
        "  @again",
        "  1 price  writes Total",
        "  2 check  jumps to @again; branches to gift",
        "    gift: gift",
        "      1 wrap",
        "  3 check  reads Total; emits accepted",
        "",
      ].join("\n"),
    );
  });

  test("tells what may be absent, written or deleted, as the Schematic does", () => {
    const [A, B] = [busKey<number>()("A"), busKey<number>()("B")];
    const axon = Axon.start("a").thenFn("s", () => 1, { mayRead: [A], mayWrite: [B], deletes: [B, A] });

    assert.match(axon.explain(), /1 s {2}may read A; may write B; deletes B, A {2}\(/);
    assert.deepEqual(axon.schematic().nodes[1]?.bus_capability, {
      reads: [],
      writes: [],
      may_read: ["A"],
      may_write: ["B"],
      deletes: ["A", "B"],
    });
  });

  test("says what asks a service outside, and how often what undoes a step is tried", () => {
    const ask = synapse({ name: "ask", call: (n: number) => n });
    const text = Axon.start<number>("a")
      .thenCompensated(ask, { name: "unask", run: () => {} }, { retry: RetryPolicy.fixed(2, 50) })
      .explain();

    assert.match(text, /1 ask {2}a service outside; undone by unask \(tried again 2 times after 50 ms\)/);
  });

  // W2: nothing asks the bare variant whether to count.
  test("shows a label at the end, and the code when it is asked for", () => {
    const text = Axon.start<number>("x")
      .thenFn("go", (n) => n)
      .label("end")
      .explain({ code: true });

    assert.match(text, / {2}@end\n/);
    assert.match(text, /value = step0\.run\(value, bus\);/);
    assert.doesNotMatch(text, /counters/);
  });

  // E2: names are arguments.
  test("prints no name of a step into the code", () => {
    const hostile = "*/ process.exit(1) /*";
    const text = Axon.start<number>(hostile)
      .thenFn(hostile, (n) => n)
      .explain({ code: true });

    assert.doesNotMatch(text.slice(text.indexOf("return function")), /process/);
  });

  test("shows the budget of a run at its Ingress", () => {
    const nodesWith = (budget: Budget) => Axon.start<number>("a").budget(budget).schematic().nodes;

    assert.deepEqual(nodesWith({ p99Ms: 20, bytes: 8192 })[0]?.budget, { p99_ms: 20, bytes: 8192 });
    assert.deepEqual(nodesWith({ bytes: 0 })[0]?.budget, { bytes: 0 });
  });

  test("shows each step as it is tried again and undone, whichever Axon decides it", () => {
    const pay = { name: "pay", run: (n: number) => n };
    const inner = Axon.start<number>("inner").thenCompensated(pay, () => undefined);
    const outer = Axon.start<number>("outer").subgraph(inner).then(pay);
    const nodesOf = (axon: typeof outer) =>
      axon.schematic().nodes.flatMap((node) => [node, ...(node.schematic?.nodes ?? [])]);
    const sink = { send: () => {} };
    const retry = RetryPolicy.fixed(2, 10);

    const tried = nodesOf(outer.withDlqSink(sink).withDlqPolicy(DlqPolicy.retryThenSend(retry)));
    assert.deepEqual(
      tried.filter((node) => node.retry !== undefined).map(({ id }) => id),
      ["outer/inner/pay", "outer/pay"],
    );
    const undone = nodesOf(outer.withSagaPolicy(SagaPolicy.enabled({ retry }))).find(
      ({ id }) => id === "outer/inner/pay:undo",
    );
    assert.equal(undone?.retry?.max_retries, 2);
    const kept = outer.withSagaPolicy(SagaPolicy.disabled());
    assert.equal(
      nodesOf(kept).some(({ id }) => id.endsWith(":undo")),
      false,
    );
    assert.doesNotMatch(kept.explain(), /undone/);
  });
});
