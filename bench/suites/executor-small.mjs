import { microSuite } from "../measure/micro.mjs";
import { orders, Refused, smallSteps, stepNames } from "../subjects/order-steps.mjs";

const same = (order) => order;
const handWrittenSteps = () => smallSteps(same, (reason) => new Refused(reason));

export default microSuite(import.meta.url, {
  name: "executor-small",
  title: "5-step synchronous Axon, small steps",
  measures:
    "one run of five small computations on one object, each of which may end it: what the executor adds to the calls themselves, and bytes a run. Peers run the same five steps in their own way; koa-compose always answers a promise, which is awaited.",
  leavesOut:
    "the Bus, waiting, faults on their way out, steps too large to inline (executor-large), many Axons in one process.",
  weighs: true,
  inputs: orders,
  score: (order) => order.total,
  arms: [
    {
      name: "hand-written calls",
      prepare() {
        const [check, price, reduce, tax, sum] = handWrittenSteps();
        return (order) => {
          const checked = check(order);
          if (checked instanceof Refused) return checked;
          const priced = price(checked);
          if (priced instanceof Refused) return priced;
          const reduced = reduce(priced);
          if (reduced instanceof Refused) return reduced;
          const taxed = tax(reduced);
          if (taxed instanceof Refused) return taxed;
          return sum(taxed);
        };
      },
    },
    {
      name: "hand-written, answers not tested",
      prepare() {
        const [check, price, reduce, tax, sum] = handWrittenSteps();
        return (order) => sum(tax(reduce(price(check(order)))));
      },
    },
    {
      name: "ours",
      ours: true,
      async prepare() {
        const { Axon, fault } = await import("../../dist/index.js");
        const axon = smallSteps(same, fault).reduce(
          (line, step, i) => line.thenFn(stepNames[i], step),
          Axon.start("order"),
        );
        return (order) => axon.execute(order);
      },
    },
    {
      name: "neverthrow",
      async prepare() {
        const { ok, err } = await import("neverthrow");
        const [check, price, reduce, tax, sum] = smallSteps(ok, err);
        return (order) =>
          check(order).andThen(price).andThen(reduce).andThen(tax).andThen(sum).unwrapOr(undefined);
      },
    },
    {
      name: "koa-compose",
      async prepare() {
        const { default: compose } = await import("koa-compose");
        const run = compose(
          handWrittenSteps().map((step) => (context, next) => {
            context.order = step(context.order);
            return context.order instanceof Refused ? context.order : next();
          }),
        );
        return (order) => {
          const context = { order };
          return run(context, () => context.order);
        };
      },
    },
    {
      name: "Effect",
      async prepare() {
        const { Effect, pipe } = await import("effect");
        const [check, price, reduce, tax, sum] = smallSteps(Effect.succeed, Effect.fail);
        return (order) =>
          Effect.runSync(
            pipe(
              check(order),
              Effect.flatMap(price),
              Effect.flatMap(reduce),
              Effect.flatMap(tax),
              Effect.flatMap(sum),
            ),
          );
      },
    },
  ],
  bars: [
    { arm: "ours", atMost: 1.25, aim: 1.05 },
    { arm: "ours", of: "bytes", atMost: 0 },
  ],
});
