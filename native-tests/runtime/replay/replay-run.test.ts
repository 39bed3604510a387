import assert from "node:assert/strict";
import { after, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Bus } from "#core/bus/bus.js";
import { busKey } from "#core/bus/bus-key.js";
import { fault, jump } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import { RunId } from "#core/ports/run-store.js";
import { Axon, MemoryRuns, replayRun, type StoredRun } from "#runtime/index.js";
import { allowEffects } from "#runtime/replay/refused-effects.js";

after(allowEffects);

const Order = Type.Object({ lines: Type.Array(Type.Object({ price: Type.Number() })) });
const Total = busKey<number>()("Total");
const Db = busKey<{ readonly save: (total: number) => string }>()("Db");

interface Changes {
  readonly factor?: number;
  readonly receipt?: (id: string) => unknown;
  readonly extra?: boolean;
}

/** An order: a total, a payment that acts on a resource, a receipt. */
const orders = (
  store: MemoryRuns,
  { factor = 1, receipt = (id) => ({ receipt: id }), extra = false }: Changes = {},
) => {
  const first = Axon.start("orders", Order)
    .withPersistenceStore(store)
    .then(
      transition({
        name: "total",
        pure: true,
        writes: [Total],
        run: (order: { readonly lines: readonly { readonly price: number }[] }, bus) => {
          const total = order.lines.reduce((sum, { price }) => sum + price, 0) * factor;
          bus.set(Total, total);
          return { ...order, total };
        },
      }),
    );
  const more = extra
    ? first.then(
        transition({ name: "discount", pure: true, run: (order: { readonly total: number }) => order }),
      )
    : first;
  return more
    .then(
      transition({
        name: "pay",
        reads: [Db, Total],
        run: (_: { readonly total: number }, bus) => bus.get(Db).save(bus.get(Total)),
      }),
    )
    .then(transition({ name: "receipt", run: async (id: string) => receipt(id) }));
};

async function stored(
  run_id = "r1",
): Promise<{ readonly run: StoredRun; readonly saved: readonly number[] }> {
  const store = new MemoryRuns();
  const saved: number[] = [];
  const db = { save: (total: number) => `paid ${saved.push(total)}` };
  const input = { lines: [{ price: 2 }, { price: 3 }] };
  await orders(store).execute(
    input,
    Bus.of([
      [Db, db],
      [RunId, run_id],
    ]),
  );
  return { run: { run_id, entries: await store.read(run_id) }, saved };
}

test("the same code comes to what the log has, and runs no step that acts on a resource", async () => {
  const { run, saved } = await stored();
  const replayed = await replayRun(orders(new MemoryRuns()), run);
  assert.deepEqual(replayed, {
    ...{ kind: "same", isWhole: true },
    ...{ ran: ["orders/total", "orders/receipt"], given: ["orders/pay"] },
  });
  assert.deepEqual(saved, [5]);
});

test("a difference in the first step is named with its pointer and both values", async () => {
  const { run } = await stored();
  const replayed = await replayRun(orders(new MemoryRuns(), { factor: 2 }), run);
  assert.ok(replayed.kind === "differs");
  assert.deepEqual(replayed.difference, {
    ...{ node: "orders/total", of: "input", pointer: "/total" },
    ...{ stored: 5, now: 10, entry: 2 },
  });
});

test("a difference in the last step is one of the output", async () => {
  const { run } = await stored();
  const receipt = (id: string) => ({ receipt: `${id}!` });
  const replayed = await replayRun(orders(new MemoryRuns(), { receipt }), run);
  assert.ok(replayed.kind === "differs");
  assert.deepEqual(replayed.difference, {
    ...{ node: "orders/receipt", of: "output", pointer: "/receipt" },
    ...{ stored: "paid 1", now: "paid 1!", entry: 4 },
  });
});

test("a last step that fails now is a difference of the end", async () => {
  // RJ1: what this tries.
  const { run } = await stored();
  const replayed = await replayRun(
    orders(new MemoryRuns(), { receipt: () => fault({ code: "NO_PAPER" }) }),
    run,
  );
  assert.ok(replayed.kind === "differs");
  const { of, node, now } = replayed.difference;
  assert.deepEqual({ of, node, now }, { of: "end", node: "orders/receipt", now: { code: "NO_PAPER" } });
});

test("a step that is new is where the log goes on elsewhere", async () => {
  const { run } = await stored();
  const replayed = await replayRun(orders(new MemoryRuns(), { extra: true }), run);
  assert.ok(replayed.kind === "differs");
  assert.deepEqual(replayed.difference, {
    ...{ node: "orders/total", of: "next", pointer: "" },
    ...{ stored: "orders/pay", now: "orders/discount", entry: 2 },
  });
});

test("a run of 1000 jumps is replayed, and its difference found in the last one", async () => {
  const loop = (store: MemoryRuns, last = 1000) =>
    Axon.start("loop", Type.Number())
      .withPersistenceStore(store)
      .withMaxJumps(2000)
      .label("again")
      .then(transition({ name: "count", effect: true, run: (n: number) => n + 1 }))
      .then(
        transition({
          name: "check",
          jumps: ["again"],
          run: (n: number) => (n < last ? jump("again", n) : n),
        }),
      );
  const store = new MemoryRuns();
  await loop(store).execute(0, Bus.of([[RunId, "jumps"]]));
  const run = { run_id: "jumps", entries: await store.read("jumps") };
  const same = await replayRun(loop(new MemoryRuns()), run);
  assert.equal(same.kind, "same");
  assert.equal(same.given.length, 1000);
  const differs = await replayRun(loop(new MemoryRuns(), 999), run);
  assert.ok(differs.kind === "differs");
  assert.deepEqual(
    [differs.difference.node, differs.difference.of, differs.difference.now],
    ["loop/check", "end", 999],
  );
});
