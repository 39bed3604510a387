// Servers that keep runs.

const STORES = "native-tests/http/serving/stores.test.ts";
const HOST = "native-tests/runtime/hosting/run-host.test.ts";
const DETACHED = "native-tests/http/request/detached-runs.test.ts";
const ATTACHED = "native-tests/http/idempotency/attached-runs.test.ts";

export default [
  [
    "kept servers: one that stops leaves cut runs unfinished",
    "src/http/serving/server.ts",
    "if (!drained && runHost !== undefined) runHost.isOver = true;",
    "",
    STORES,
  ],
  [
    "kept servers: an Axon without the stores that it needs is refused",
    "src/http/serving/mounted-stores.ts",
    "if (takesRuns && stores === undefined)",
    "if (false)",
    STORES,
  ],
  [
    "kept servers: readiness asks the database",
    "src/http/serving/health.ts",
    "stores === undefined\n    ? healthChecks",
    "true\n    ? healthChecks",
    STORES,
  ],
  [
    "kept servers: a host takes nothing once it is to stop",
    "src/runtime/hosting/run-host.ts",
    "return !this.#isStopping && this.#of.isReady() && this.#room > 0;",
    "return this.#of.isReady() && this.#room > 0;",
    HOST,
  ],
  [
    "kept servers: a host that leaves ends its lease",
    "src/runtime/hosting/run-host.ts",
    "await Promise.all(this.stores.map((store) => store.leave(this.id)));",
    "",
    HOST,
  ],
  [
    "kept servers: a detached run that did not begin is answered",
    "src/http/request/detached-run.ts",
    'else if (started.kind === "over") answer(started.outcome);',
    "",
    DETACHED,
  ],
  [
    "kept servers: a retry attaches to the run that its key began",
    "src/http/idempotency/keyed-answer.ts",
    "if (attachment !== undefined && isTaken(outcome)) answerAttached(attachment, exchange, answers, send);\n    else send(outcome);",
    "send(outcome);",
    ATTACHED,
  ],
  [
    "kept servers: a problem in a log comes back as one",
    "src/runtime/kept/durable-value.ts",
    'if (value instanceof ProblemDetail) return tagged("problem", this.#plain({ ...value }, false, path));',
    "",
    ATTACHED,
  ],
];
