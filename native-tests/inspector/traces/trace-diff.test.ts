import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, busKey, fault, json, ProblemDetail, Type } from "framework";
import { TraceDiff, type TraceRow } from "#inspector/api/traces.js";
import type { CaptureMode } from "#inspector/traces/payload-capture.js";
import { diffOf as diffTraces } from "#inspector/traces/trace-diff.js";
import type { TraceStore } from "#inspector/traces/trace-store.js";
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
