// Prints how many bytes of heap one run takes: `node count-bytes.ts WHAT`.

import { Type } from "@sinclair/typebox";

import { Axon, busKey, fault, transition } from "framework";
import { Program } from "#runtime/compile/program.js";

const Total = busKey<number>()("Total");
const REFUSED = fault({ kind: "refused" });

interface Order {
  readonly qty: number;
  readonly name: string;
  total: number;
}

const add = (name: string) =>
  transition({
    name,
    run: (order: Order) => {
      order.total += order.qty;
      return order;
    },
  });
const five = Axon.start<Order>("five")
  .then(add("a"))
  .then(add("b"))
  .then(add("c"))
  .then(add("d"))
  .then(add("e"));
const waiting = Axon.start<Order>("waiting")
  .then(add("a"))
  .then(add("b"))
  .thenFn("c", async (order) => order)
  .then(add("d"))
  .then(add("e"));
const addByHand = (order: Order): Order => {
  order.total += order.qty;
  return order;
};
const later = async (order: Order): Promise<Order> => order;
const waitingByHand = async (order: Order): Promise<Order> =>
  addByHand(addByHand(await later(addByHand(addByHand(order)))));
const runs: Record<string, (order: Order) => unknown> = {
  steps: (order) => five.execute(order),
  promise: (order) => waiting.execute(order),
  byHand: (order) => waitingByHand(order),
  bus: (order) => busy.execute(order),
  names: (order) => named.execute(order),
  ownBus: (order) => ownBus(busyOnIngress, order),
  ownNames: (order) => ownBus(namedOnIngress, order),
  fault: (order) => refusing.execute(order),
  schema: (order) => checked.execute(order),
};
const busy = Axon.start<Order>("busy")
  .thenFn(
    "write",
    (order, bus) => {
      bus.set(Total, order.qty);
      return order;
    },
    { writes: [Total] },
  )
  .thenFn(
    "read",
    (order, bus) => {
      order.total = bus.get(Total);
      return order;
    },
    { reads: [Total] },
  );
const named = Axon.start<Order>("named")
  .thenFn("write", { sets: { total: Total } }, (order, bus) => {
    bus.total = order.qty;
    return order;
  })
  .thenFn("read", { uses: { total: Total } }, (order, bus) => {
    order.total = bus.total;
    return order;
  });
/** As on an ingress: each run has a Bus of its own. */
const busyOnIngress = new Program(busy.definition, { production: true, ownBus: true });
const namedOnIngress = new Program(named.definition, { production: true, ownBus: true });
const ownBus = (program: Program, order: Order): unknown => program.run(order, program.acquire());
const refusing = Axon.start<Order>("refusing")
  .then(add("a"))
  .thenFn("refuse", () => REFUSED);
const checked = Axon.start(
  "checked",
  Type.Object({
    qty: Type.Integer({ minimum: 0 }),
    total: Type.Number(),
    name: Type.String({ minLength: 1, maxLength: 20 }),
  }),
).thenFn("keep", (order) => order);

// Of one that waits fewer, or a collection would fall into the count.
const RUNS = ["promise", "byHand"].includes(process.argv[2] ?? "") ? 100_000 : 1_000_000;
const BATCHES = 3;
const run = runs[process.argv[2] ?? ""] as (order: Order) => unknown;
const order = { qty: 1, total: 0, name: "some name" };
const batch = async (): Promise<void> => {
  for (let i = 0; i < RUNS; i += 1) {
    order.total = 0;
    const outcome = run(order);
    if (outcome instanceof Promise) await outcome;
  }
};

await batch();
await batch();
globalThis.gc?.();
// What the process itself allocates meanwhile, such as code that it compiles, comes on top: the
// least of some batches is nearest to a run's own.
let least = Number.POSITIVE_INFINITY;
for (let i = 0; i < BATCHES; i += 1) {
  const before = process.memoryUsage().heapUsed;
  const atRest = process.memoryUsage().heapUsed;
  await batch();
  const after = process.memoryUsage().heapUsed;
  least = Math.min(least, after - atRest - (atRest - before));
}
console.log(least / RUNS);
