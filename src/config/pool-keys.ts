import { threadsFor } from "#core/ports/pool-threads.js";
import { flag, whole } from "./key.js";

export const pool = {
  threads: whole(1, 1024, {
    default: {
      from: (rest) => threadsFor(rest.value("server.workers") as number | "auto"),
      words: "the cores, divided by server.workers, less one; at least 1",
    },
    example: 4,
    doc: "Threads for offloaded steps, of each process.",
  }),
  queue: whole(0, 100_000, {
    default: 256,
    doc: "Jobs that wait for a thread; more are answered 503 with Retry-After.",
  }),
  idleTimeoutSecs: whole(1, 86_400, {
    default: 60,
    doc: "How long a thread without a job is kept, unless warm is true.",
  }),
  memoryLimitMb: whole(32, 65_536, {
    default: 512,
    doc: "What a job may take: of the heap of its thread, and, with ArrayBuffers, of the process. Beyond it the job is ended.",
  }),
  warm: flag({
    default: false,
    doc: "Whether the threads start with the server and are kept. Else they start with the first job.",
  }),
};
