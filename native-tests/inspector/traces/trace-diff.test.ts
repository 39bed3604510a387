import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, busKey, fault, json, ProblemDetail, Type } from "framework";
import { TraceDiff, type TraceRow } from "#inspector/api/traces.js";
import type { CaptureMode } from "#inspector/traces/payload-capture.js";
import { diffOf as diffTraces } from "#inspector/traces/trace-diff.js";
import type { TraceStore } from "#inspector/traces/trace-store.js";
import { valueDifferences } from "#inspector/traces/value-differences.js";
import { asViewer, inspected } from "../../support/inspected.js";
import { requireShape, tracedApp } from "../../support/traced-app.js";

const Discount = busKey<number>()("Discount");
const Customer = Type.Object({ name: Type.String(), vip: Type.Boolean(), owes: Type.Integer() });

const checkout = Axon.start<{ name: string; vip: boolean; owes: number }>("checkout")
  .thenFn("sort", (customer) => (customer.vip ? branch("vip", customer) : customer), { branches: ["vip"] })
  .branch(
    "vip",
    Axon.start<{ name: string; vip: boolean; owes: number }>("vip").thenFn("greet", (customer) => customer),
  )
  .thenFn(
    "discount",
    (customer, bus) => {
      bus.set(Discount, customer.owes > 0 ? 0 : 10);
      return customer.name.length;
    },
    { writes: [Discount] },
  )
  .thenFn(
    "pay",
    (letters, bus) =>
      letters > 5
        ? fault(new ProblemDetail({ status: 409, code: "LONG", title: "Too long" }))
        : bus.get(Discount),
    { reads: [Discount] },
  );

const ada = { name: "Ada", vip: false, owes: 0 };

function diffIn(store: TraceStore, a: TraceRow | undefined, b: TraceRow | undefined) {
  const [one, other] = [a, b].map((row) => store.get(row?.run_id ?? ""));
  assert.ok(one !== undefined && other !== undefined);
  return diffTraces(one, other);
}

async function diffOf(mode: CaptureMode, ...customers: readonly (typeof ada)[]) {
  const { app, store, rows } = tracedApp(
    (ingress) => ingress.post("/", checkout, { input: json(Customer) }),
    mode,
  );
  for (const customer of customers) await app.post("/", { json: customer });
  const [b, a] = rows();
  const diff = diffIn(store, a, b);
  requireShape(TraceDiff.properties.data, diff);
  return diff;
}

const steps = ({ steps }: Awaited<ReturnType<typeof diffOf>>) =>
  steps.map(({ a, b, is_same }) => [a?.label ?? null, b?.label ?? null, is_same]);

describe("two values", () => {
  const folded = (a: unknown, b: unknown, name?: string) =>
    valueDifferences(a, b, name).map(({ pointer, isFolded }) => (isFolded ? `(${pointer})` : pointer));

  test("differ by their leaves, members that one lacks, and their kinds", () => {
    assert.deepEqual(folded({ a: 1, "b/~": [1, 2], c: null }, { a: 1, "b/~": [1, 3, 4] }), [
      "/b~1~0/1",
      "/b~1~0/2",
      "/c",
    ]);
    assert.deepEqual(folded({ a: [] }, { a: {} }), ["/a"]);
    assert.deepEqual(folded("x", "x"), []);
    const [evil, plain] = [JSON.parse('{"__proto__":{"admin":true}}'), { constructor: 1 }];
    assert.deepEqual(folded(evil, plain), ["/__proto__", "/constructor"]);
  });

  test("are folded where any two runs differ: ids and times of runs, rests of limits", () => {
    const uuid = (end: string) => `01a222b0-6ba5-78b2-bec7-6c294f9b1c9${end}`;
    const a = {
      requestId: "a",
      at: 1,
      "x-ratelimit-remaining": 4,
      order: uuid("1"),
      due: "2026-11-28T10:00",
    };
    const b = {
      requestId: "b",
      at: 2,
      "x-ratelimit-remaining": 3,
      order: uuid("2"),
      due: "2026-11-29T10:00",
    };
    assert.deepEqual(
      folded(a, b),
      Object.keys(a).map((key) => `(/${key})`),
    );
    assert.deepEqual(folded("r-1", "r-2", "RequestId"), ["(RequestId)"]);
    assert.deepEqual(folded([1, 2], [1, 3], "created_at"), ["(created_at/1)"]);

    const other = { id: 7, sku: "a", format: "at", customer_id: 1, due: null };
    assert.deepEqual(
      folded(other, { id: 8, sku: "b", format: "now", customer_id: 2, due: "2026-11-28T10:00" }),
      [...["/id", "/sku", "/format", "/customer_id", "/due"]],
    );
    assert.deepEqual(folded({ at: 1 }, {}), ["/at"], "a missing one is none of them");
  });

  test("of which one is large give so many differences at most", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, n]));

    assert.equal(valueDifferences(many, {}).length, 100);
    const [{ texts } = { texts: [] }] = valueDifferences("x".repeat(500), 1);
    assert.equal(texts[0]?.length, 83);
  });
});

describe("two runs", () => {
  test("that went the same way have not parted", async () => {
    for (const mode of ["off", "hash", "full"] as const) {
      const diff = await diffOf(mode, ada, ada);

      assert.equal(diff.parted, null);
      assert.deepEqual(steps(diff), [
        ["sort", "sort", true],
        ["discount", "discount", true],
        ["pay", "pay", true],
      ]);
    }
  });

  test("part where one takes a branch", async () => {
    const diff = await diffOf("off", ada, { ...ada, vip: true });

    assert.deepEqual(diff.parted, {
      at: 0,
      what: "outcome",
      detail: "'sort': ended in next in a, branch in b",
    });
    assert.deepEqual(steps(diff), [
      ["sort", "sort", false],
      [null, "greet", false],
      ["discount", "discount", true],
      ["pay", "pay", true],
    ]);
  });

  test("part where they get other values, as far as these were captured", async () => {
    const other = { ...ada, name: "Bob" };

    assert.equal((await diffOf("off", ada, other)).parted, null);
    assert.deepEqual((await diffOf("hash", ada, other)).parted, {
      at: 0,
      what: "input",
      detail: "'sort': input was another value in a, another value in b",
    });
    assert.deepEqual((await diffOf("full", ada, other)).parted, {
      at: 0,
      what: "input",
      detail: `'sort': input /name was "Ada" in a, "Bob" in b`,
    });
  });

  test("part where they write another value on the Bus", async () => {
    const { app, store, rows } = tracedApp((ingress) => ingress.get("/", writing()), "full");
    await app.get("/");
    await app.get("/");
    const [b, a] = rows();

    assert.deepEqual(diffIn(store, a, b).parted, {
      at: 0,
      what: "bus",
      detail: "'write': bus Discount was 1 in a, 2 in b",
    });
  });

  test("part where their ways or outcomes do, whatever data differed before", async () => {
    const diff = await diffOf("full", ada, { name: "Charles", vip: false, owes: 7 });

    assert.deepEqual(diff.parted, {
      at: 2,
      what: "outcome",
      detail: "'pay': ended in next in a, fault in b",
    });
    assert.deepEqual(
      diff.steps.map(({ differs }) => differs.map(({ what, pointer }) => what + pointer)),
      [
        ["input/name", "input/owes", "output/name", "output/owes"],
        ["input/name", "input/owes", "busDiscount", "output"],
        ["input", "outcome", "output"],
      ],
    );
  });

  test("part where one of them faults", async () => {
    const { parted } = await diffOf("off", ada, { ...ada, name: "Charles" });

    assert.deepEqual(parted, { at: 2, what: "outcome", detail: "'pay': ended in next in a, fault in b" });
  });

  test("of which one is not kept are not compared", async () => {
    const { store } = tracedApp((ingress) => ingress);
    const answer = await inspected({ traces: store }).app.get("/api/v1/traces/diff?a=a&b=b", asViewer);

    assert.equal(answer.problem.code, "TRACE_UNKNOWN");
  });
});

/** Writes 1 in its first run, 2 in its second, and answers the same. */
function writing() {
  let runs = 0;
  return Axon.start("writing").thenFn(
    "write",
    (_, bus) => {
      runs += 1;
      bus.set(Discount, runs);
      return "done";
    },
    { writes: [Discount] },
  );
}
