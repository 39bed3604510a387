import { microSuite } from "../measure/micro.mjs";
import { orders } from "../subjects/order-steps.mjs";

const total = (order) => ({ ...order, total: order.quantity * order.price });
const steps = [
  async (order) => order.quantity * order.price,
  async (order) => order.price % 7,
  async (order) => order.quantity % 5,
];
const merge = ([subtotal, tax, discount], order) => ({ ...total(order), total: subtotal + tax - discount });

export default microSuite(import.meta.url, {
  name: "parallel",
  title: "Three asynchronous steps at once",
  measures:
    "one run whose three async functions are settled already, awaited by the caller: Promise.all by hand, against an Axon's parallel step, which gives each a view of the Bus and an abort signal of its own, and would abort the others at the first fault; bytes a run.",
  leavesOut: "real waiting, faults, aborts: what is left is what promises and the steps' own runs cost.",
  weighs: true,
  inputs: orders,
  score: (order) => order.total,
  arms: [
    {
      name: "Promise.all",
      prepare: () => async (order) => merge(await Promise.all(steps.map((step) => step(order))), order),
    },
    {
      name: "ours",
      ours: true,
      async prepare() {
        const { Axon } = await import("../../dist/index.js");
        const parts = steps.map((run, i) => ({ name: `step-${i}`, run }));
        const axon = Axon.start("order").parallel(parts, "AllMustSucceed", merge);
        return (order) => axon.execute(order);
      },
    },
  ],
  bars: [],
});
