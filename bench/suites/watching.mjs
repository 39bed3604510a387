import { microSuite } from "../measure/micro.mjs";
import { orders, smallSteps, stepNames } from "../subjects/order-steps.mjs";

const same = (order) => order;

async function watched(level) {
  const { Axon, fault, Program } = await import("../.build/internals.js");
  const axon = smallSteps(same, fault).reduce(
    (line, step, i) => line.thenFn(stepNames[i], step),
    Axon.start("order"),
  );
  const program = new Program(axon.definition, { production: true, recorder: {} });
  if (level !== undefined) program.watch.watch(level);
  return (order) => program.run(order, program.acquire());
}

export default microSuite(import.meta.url, {
  name: "watching",
  title: "Watching a 5-step synchronous Axon",
  measures:
    "one run of the five small steps: by nobody watched, every node counted (and steps noticed that hold the event loop), one run in 16 traced with its whole Timeline and the others counted, every run traced; bytes a run.",
  leavesOut: "what a recorder does with what it is told, waiting, payloads.",
  weighs: true,
  inputs: orders,
  score: (order) => order.total,
  arms: [
    { name: "off", ours: true, prepare: () => watched() },
    { name: "counted", ours: true, prepare: () => watched({ kind: "counted" }) },
    { name: "sampled 1 in 16", ours: true, prepare: () => watched({ kind: "sampled", every: 16 }) },
    { name: "all", ours: true, prepare: () => watched({ kind: "all" }) },
  ],
  bars: [{ arm: "off", of: "bytes", atMost: 0 }],
});
