// Lines of workers. mutate.mjs says what a row is.

const ROOMS = "native-tests/heavy/workers/worker-rooms.test.ts";
const WORKERS = "native-tests/heavy/workers/workers.test.ts";

export default [
  [
    "workers: none is left when the supervisor dies",
    "src/http/serving/workers/worker.ts",
    'process.once("disconnect", () => void end(true));',
    "",
    WORKERS,
  ],
  [
    "workers: one that still loads is not left either",
    "src/http/serving/workers/worker.ts",
    "  if (!process.connected) void end(true);\n",
    "",
    WORKERS,
  ],
  [
    "rooms: what waits for a channel is bounded",
    "src/http/serving/workers/room-channel.ts",
    "if (this.#waitingBytes + bytes > this.#maxBytes) return false;",
    "",
    ROOMS,
  ],
  [
    "rooms: a worker that does not serve yet is told nothing",
    "src/http/serving/workers/room-relay.ts",
    "worker !== from && worker.serves &&",
    "worker !== from &&",
    ROOMS,
  ],
  [
    "rooms: who published is not told",
    "src/http/serving/workers/room-relay.ts",
    "if (worker !== from && worker.serves",
    "if (worker.serves",
    ROOMS,
  ],
  [
    "workers: a crash loop ends",
    "src/http/serving/workers/supervisor.ts",
    "if (slot.shortLives >= MAX_SHORT_LIVES) {",
    "if (slot.shortLives >= MAX_SHORT_LIVES && servedMs < 0) {",
    WORKERS,
  ],
  [
    "workers: one that hangs is killed",
    "src/http/serving/workers/supervisor.ts",
    "      worker.kill();\n    }, limitMs);",
    "    }, limitMs * 100);",
    WORKERS,
  ],
  [
    "workers: a second signal kills them",
    "src/http/serving/workers/supervisor.ts",
    'process.on("exit", this.#killAll);',
    "",
    WORKERS,
  ],
];
