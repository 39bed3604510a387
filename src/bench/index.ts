// framework/bench: the benchmarks of an application, for `framework bench FILE`.

export { type Bench, bench } from "./bench.js";
export type { BenchRequest } from "./bench-request.js";
