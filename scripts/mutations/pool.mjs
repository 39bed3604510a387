// Lines of the worker pool. mutate.mjs says what a row is.

const POOL = "native-tests/pool/worker-pool.test.ts";
const FIGURES = "native-tests/pool/pool-figures.test.ts";
const ROUTES = "native-tests/pool/offloaded-routes.test.ts";

export default [
  [
    "pool: jobs beyond threads and queue are refused",
    "src/pool/worker-pool.ts",
    "if (this.#waiting.size + this.#running.size >= threads + queue) {",
    "if (this.#waiting.size >= 2 * queue + threads) {",
    POOL,
  ],
  [
    "pool: a timer of an earlier job is not blamed on the next",
    "src/pool/worker-pool.ts",
    'atomics: "async",',
    'atomics: "sync",',
    POOL,
  ],
  [
    "pool: the growth of the process ends a job",
    "src/pool/memory-watch.ts",
    "grownMb <= (this.#limitMb + THREAD_MB) * this.#running.size",
    "grownMb <= (this.#limitMb + THREAD_MB) * 100",
    POOL,
  ],
  [
    "pool: the error of a function keeps its fields",
    "src/pool/entry.js",
    "if (PRIMITIVES.has(typeof error[name])) fields[name] = error[name];",
    'if (name === "") fields[name] = error[name];',
    POOL,
  ],
  [
    "pool: an answer that cannot be cloned says so",
    "src/pool/entry.js",
    'if (error?.name !== "DataCloneError") throw error;',
    'if (error?.name !== "") throw error;',
    POOL,
  ],
  [
    "pool: a job that waits is taken out of the queue by the abort of its run",
    "src/pool/worker-pool.ts",
    "this.#waiting.delete(ended);",
    "void ended;",
    POOL,
  ],
  [
    "pool: the last server that leaves closes it",
    "src/pool/process-pool.ts",
    "if (shared.servers > 0) return;",
    "if (shared.servers > -1) return;",
    POOL,
  ],
  [
    "pool: TypeScript is loaded by the application's tsx",
    "src/pool/entry.js",
    "tsx.register();",
    "await tsx;",
    ROUTES,
  ],
  [
    "pool: the route of a full pool says when to come again",
    "src/http/answer/fault-problem.ts",
    'headers: { "retry-after": String(error.retryAfterSecs) },',
    "headers: {},",
    ROUTES,
  ],
  [
    "pool: a job is counted once, by how it ended",
    "src/pool/job.ts",
    "this.#over(this, { step, end,",
    'this.#over(this, { step, end: "done",',
    FIGURES,
  ],
  [
    "pool: the thread's part is a span of the step",
    "src/pool/worker-transition.ts",
    "span: spanOf(bus),",
    "span: undefined,",
    FIGURES,
  ],
];
