// What refused requests have in common.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isFault, json, Type } from "framework";
import { Refusals } from "#inspector/api/refusals.js";
import type { Data } from "#inspector/api/shapes.js";
import { Peers } from "#inspector/peers/peers.js";
import { mergedRefusals, refusalsIn } from "#inspector/unmatched/refusals.js";
import { Unmatched } from "#inspector/unmatched/unmatched.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { answerRecord } from "../../support/answer-record.js";
import { answering, asViewer, inspected } from "../../support/inspected.js";
import { requireShape, tracedApp } from "../../support/traced-app.js";

type Found = Data<typeof Refusals>;

const Order = Type.Object({ sku: Type.String(), qty: Type.Integer() });
const order = Axon.start<{ sku: string; qty: number }>("order").thenFn("keep", (given) => given);

async function shop() {
  const traced = tracedApp((it) => it.post("/orders", order, { input: json(Order) }));
  const { app } = traced;
  await app.post("/orders", { json: { sku: "a", qty: "many" } });
  await app.post("/orders", { json: { sku: 7, qty: "many" } });
  await app.post("/orders", { json: { sku: "a", qty: 1 } });
  await app.post("/orders", { body: "{", headers: { "content-type": "application/json" } });
  const unmatched = new Unmatched(new ManualClock(), (_, path) =>
    path === "/order" ? "POST /orders" : null,
  );
  for (const path of ["/order", "/zebra", "/order"])
    unmatched.answered(answerRecord({ path, route: undefined, status: 404, code: "ROUTE_UNKNOWN" }));
  return { ...traced, unmatched };
}

const counted = ({ groups }: Found, by: string) =>
  groups.filter((group) => group.by === by).map(({ value, count }) => `${value} ${count}`);

describe("refused requests", () => {
  test("are counted by code, route, pointer, client and nearest route, the largest group first", async () => {
    const { store, unmatched } = await shop();
    const found = refusalsIn({ traces: store, unmatched, now: Date.now() }, "start", "operator");
    requireShape(Refusals.properties.data, found);

    assert.deepEqual([found.runs, found.unmatched], [3, 3]);
    assert.deepEqual(counted(found, "code"), ["INPUT_INVALID 2", "JSON_INVALID 1"]);
    assert.deepEqual(counted(found, "route"), ["POST /orders 3"]);
    assert.deepEqual(counted(found, "pointer"), ["/qty 2", "/sku 1"]);
    assert.deepEqual(counted(found, "unmatched"), ["POST /orders 2", "none 1"]);
    assert.deepEqual(
      found.groups.map(({ count }) => count),
      [3, 3, 2, 2, 2, 1, 1, 1],
    );
  });

  test("of a client are found by what the role is shown of it", async () => {
    const { store, unmatched } = await shop();
    const clientFor = (role: "operator" | "viewer") =>
      refusalsIn({ traces: store, unmatched, now: Date.now() }, "start", role).groups.find(
        ({ by }) => by === "client",
      )?.value ?? "";
    const countOf = (client: string, role: "operator" | "viewer") => {
      const page = store.query({ client, outcome: "refused" }, role);
      assert.ok(!isFault(page));
      return page.traces.length;
    };
    const [address, pseudonym] = [clientFor("operator"), clientFor("viewer")];

    assert.match(pseudonym, /^client-/);
    assert.notEqual(address, pseudonym);
    assert.deepEqual([countOf(address, "operator"), countOf(pseudonym, "viewer")], [3, 3]);
    assert.equal(countOf(address, "viewer"), 0, "a viewer cannot try addresses");
  });

  test("lead to their runs by their pointer", async () => {
    const { store } = await shop();
    const page = store.query({ pointer: "/sku" });

    assert.ok(!isFault(page));
    assert.deepEqual(
      page.traces.map(({ fault }) => fault?.pointers),
      [["/sku", "/qty"]],
    );
  });

  test("before the window are left out", async () => {
    const { store, unmatched } = await shop();
    const later = refusalsIn({ traces: store, unmatched, now: Date.now() + 60_000 }, "10", "operator");

    assert.deepEqual(later, { runs: 0, unmatched: 0, groups: [], workers_silent: 0 });
  });

  test("of all workers are added up, and a kind has five groups at most", async () => {
    const group = (value: string, count: number) => ({ by: "code", value, count }) as const;
    const one: Found = { runs: 9, unmatched: 1, groups: [group("A", 4), group("B", 5)], workers_silent: 0 };
    const groups = ["A", "C", "D", "E", "F"].map((value) => group(value, 2));
    const { runs, groups: joined } = mergedRefusals([one, { ...one, runs: 10, groups }]);

    assert.equal(runs, 19);
    assert.deepEqual(
      joined.map(({ value, count }) => `${value} ${count}`),
      ["A 6", "B 5", "C 2", "D 2", "E 2"],
    );
  });

  test("are asked of each worker, and by viewers", async () => {
    const rooms = new MemoryRooms();
    const [here, there] = [await shop(), await shop()];
    const peersOf = (pid: number) => new Peers({ bus: rooms.join(), expected: 1, pid });
    inspected({ traces: there.store, unmatched: there.unmatched, peers: peersOf(2), now: Date.now });
    const parts = { traces: here.store, unmatched: here.unmatched, peers: peersOf(1), now: Date.now };

    const found = await answering<Found>("/api/v1/refusals", parts)("window=60");
    assert.deepEqual([found.runs, found.unmatched, found.workers_silent], [6, 6, 0]);
    assert.equal(
      (await inspected({ ...parts, peers: undefined }).app.get("/api/v1/refusals", asViewer)).status,
      200,
    );
  });
});
