import { availableParallelism } from "node:os";

/** Number of serving processes: `"auto"` is one for each core. */
export const processesOf = (workers: number | "auto"): number =>
  workers === "auto" ? availableParallelism() : workers;

/** Default number of threads of a worker pool: cores per process, less one for the event loop. */
export const threadsFor = (workers: number | "auto"): number =>
  Math.max(1, Math.floor(availableParallelism() / processesOf(workers)) - 1);
