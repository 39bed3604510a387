// Lines of the advice to offload. mutate.mjs says what a row is.

const OFFLOAD = "native-tests/inspector/offload/offload.test.ts";
const WATCH = "native-tests/runtime/watch/watch.test.ts";
const LONG_STEPS = "src/inspector/offload/long-steps.ts";

export default [
  [
    "advice: an offloaded step is not listed",
    LONG_STEPS,
    "isLong(step) && !inThreads.includes(step)",
    "isLong(step)",
    OFFLOAD,
  ],
  [
    "advice: a p95 needs 20 calls",
    LONG_STEPS,
    "calls >= ENOUGH_CALLS && long_calls > calls * P95_BEYOND",
    "long_calls > calls * P95_BEYOND",
    OFFLOAD,
  ],
  [
    "advice: no guard is listed",
    LONG_STEPS,
    'new Set(["Atom", "Synapse"])',
    'new Set(["Atom", "Synapse", "Guard"])',
    OFFLOAD,
  ],
  [
    "advice: the list is bounded",
    "src/inspector/peers/merged-offload.ts",
    "steps.slice(0, MAX_STEPS)",
    "steps",
    OFFLOAD,
  ],
  [
    "advice: a step's time ends with its promise, in the loop and behind a generated line",
    "src/runtime/trace/traced-step.ts",
    "    counters.took(routes.number, duties.trace.now_us - visit.at_us);",
    "    counters.took(routes.number, 0);",
    WATCH,
  ],
  [
    "advice: a generated line times each step",
    "src/runtime/compile/timed-line.ts",
    "sumUs[${number}] += took;",
    "",
    WATCH,
  ],
  [
    "advice: a step that held the loop is known where no run is recorded",
    "src/runtime/run/counters.ts",
    "    this.#longest(node, ms * 1000);",
    "",
    OFFLOAD,
  ],
];
