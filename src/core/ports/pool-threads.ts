import { availableParallelism } from "node:os";

/** How many processes serve: `"auto"` is one for each core. */
export const processesOf = (workers: number | "auto"): number =>
  workers === "auto" ? availableParallelism() : workers;

/** Threads of a worker pool by default: the cores, shared by the processes, less one for the event loop. */
export const threadsFor = (workers: number | "auto"): number =>
  Math.max(1, Math.floor(availableParallelism() / processesOf(workers)) - 1);
