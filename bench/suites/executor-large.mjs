import { microSuite } from "../measure/micro.mjs";
import { largeSteps, orders, Refused, stepNames } from "../subjects/order-steps.mjs";

const AXONS = 25;
const same = (order) => order;

/** Makes all runs, uses all of them as a program does, and answers the first. */
function oneOfMany(make) {
  const runs = Array.from({ length: AXONS }, (_, i) => make(i));
  const inputs = orders();
  for (const run of runs) for (let i = 0; i < 20_000; i += 1) run(inputs[i & 63]);
  return runs[0];
}

async function axons() {
  const { Axon, fault } = await import("../.build/internals.js");
  return Array.from({ length: AXONS }, (_, i) =>
    largeSteps(same, fault).reduce(
      (line, step, at) => line.thenFn(stepNames[at], step),
      Axon.start(`order-${i}`),
    ),
  );
}

// The three callers are made of text, so that each of the 25 has code of its own, as
// if written 25 times. Else V8 would share what it learns of all among them.
const callAxon = new Function("axon", "return (order) => axon.execute(order)");
const callProgram = new Function("program", "return (order) => program.run(order, program.acquire())");
const handWritten = new Function(
  "Refused",
  "check",
  "price",
  "reduce",
  "tax",
  "sum",
  `return (order) => {
    const checked = check(order);
    if (checked instanceof Refused) return checked;
    const priced = price(checked);
    if (priced instanceof Refused) return priced;
    const reduced = reduce(priced);
    if (reduced instanceof Refused) return reduced;
    const taxed = tax(reduced);
    if (taxed instanceof Refused) return taxed;
    return sum(taxed);
  }`,
);

export default microSuite(import.meta.url, {
  name: "executor-large",
  title: "5-step synchronous Axon, steps too large to inline, 25 Axons alive",
  measures:
    "one run of five steps that V8 does not inline, in a process where 24 other Axons of such steps have run 20 000 times each; our generated code, and the loop that takes its place where code cannot be generated; bytes a run.",
  leavesOut: "the Bus, waiting, faults on their way out, Axons that take turns run by run.",
  weighs: true,
  inputs: orders,
  score: (order) => order.total,
  arms: [
    {
      name: "hand-written calls",
      prepare: () =>
        oneOfMany(() => handWritten(Refused, ...largeSteps(same, (reason) => new Refused(reason)))),
    },
    {
      name: "ours",
      ours: true,
      async prepare() {
        const made = await axons();
        return oneOfMany((i) => callAxon(made[i]));
      },
    },
    {
      name: "ours, loop executor",
      ours: true,
      async prepare() {
        const { Program } = await import("../.build/internals.js");
        const made = await axons();
        return oneOfMany((i) =>
          callProgram(new Program(made[i].definition, { generate: false, production: true })),
        );
      },
    },
  ],
  bars: [
    { arm: "ours", atMost: 1.3, aim: 1.1 },
    { arm: "ours", of: "bytes", atMost: 0 },
  ],
});
