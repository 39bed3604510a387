import { microSuite } from "../measure/micro.mjs";
import { orders, Refused, smallSteps, stepNames } from "../subjects/order-steps.mjs";

const same = (order) => order;

/** The third of the five answers later. */
const withOnePromise = (steps) => steps.map((step, i) => (i === 2 ? async (order) => step(order) : step));

export default microSuite(import.meta.url, {
  name: "executor-promise",
  title: "One promise among five steps",
  measures:
    "one run of the five small steps, the third an async function, awaited by the caller: the usual loop that awaits each step's answer, against an Axon, which waits once; bytes a run.",
  leavesOut:
    "real waiting: the promise is settled already, so what is left is what promises and turns of the microtask queue cost.",
  weighs: true,
  inputs: orders,
  score: (order) => order.total,
  arms: [
    {
      name: "loop of five awaits",
      prepare() {
        const steps = withOnePromise(smallSteps(same, (reason) => new Refused(reason)));
        return async (order) => {
          let value = order;
          for (let i = 0; i < steps.length; i += 1) {
            value = await steps[i](value);
            if (value instanceof Refused) return value;
          }
          return value;
        };
      },
    },
    {
      name: "hand-written, one await",
      prepare() {
        const [check, price, reduce, tax, sum] = withOnePromise(
          smallSteps(same, (reason) => new Refused(reason)),
        );
        return async (order) => {
          const checked = check(order);
          if (checked instanceof Refused) return checked;
          const priced = price(checked);
          if (priced instanceof Refused) return priced;
          const reduced = await reduce(priced);
          if (reduced instanceof Refused) return reduced;
          const taxed = tax(reduced);
          if (taxed instanceof Refused) return taxed;
          return sum(taxed);
        };
      },
    },
    {
      name: "ours",
      ours: true,
      async prepare() {
        const { Axon, fault } = await import("../../dist/index.js");
        const axon = withOnePromise(smallSteps(same, fault)).reduce(
          (line, step, i) => line.thenFn(stepNames[i], step),
          Axon.start("order"),
        );
        return (order) => axon.execute(order);
      },
    },
  ],
  bars: [{ arm: "ours", atMost: 0.4, aim: 0.2 }],
});
