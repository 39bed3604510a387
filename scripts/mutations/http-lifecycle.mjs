// Lines of how an ingress is set up, begins and stops. mutate.mjs says what a row is.

const EXTENSIONS = "native-tests/http/extensions.test.ts";
const TLS_RELOAD = "native-tests/http/tls/reload.test.ts";
const STOPPING = "native-tests/heavy/processes/stopping.test.ts";
const UPLOADS_WIRE = "native-tests/heavy/wire/uploads.test.ts";

export default [
  [
    "uploads: a server that stops waits for who writes one",
    "src/http/circuit.ts",
    "    this.#reading += 1;\n",
    "",
    UPLOADS_WIRE,
  ],
  [
    "undo stack: one that hangs leaves the others their time",
    "src/http/lifecycle.ts",
    "this.#entries.length === 0 ? left : left / 2",
    "left",
    "native-tests/http/lifecycle.test.ts",
  ],
  [
    "rejections: whose request it was is told",
    "src/http/process-guards.ts",
    "const requestId = requestIdOfRejection();",
    "const requestId = undefined;",
    STOPPING,
  ],
  [
    "rejections: a body that comes later belongs to its request",
    "src/http/rejection-context.ts",
    "onData.call(response, AsyncResource.bind(handler))",
    "onData.call(response, handler)",
    STOPPING,
  ],
  [
    "extensions: what is told of answers is told of those of no route",
    "src/http/dispatcher.ts",
    "this.#isObserved = this.#policy.observers.length + observers.length > 0;",
    "this.#isObserved = this.#policy.observers.length > 0;",
    EXTENSIONS,
  ],
  [
    "extensions: who comes from inside chooses no host",
    "src/http/in-process-request.ts",
    "headers.filter(([name]) => !OWN.has(name.toLowerCase()))",
    "headers.filter(() => true)",
    EXTENSIONS,
  ],
  [
    "extensions: what has begun is ended",
    "src/http/lifecycle.ts",
    "      this.#begun.push(`extension '${name}'`, () => started.stop?.());\n",
    "",
    EXTENSIONS,
  ],
  [
    "configuration: only what is set",
    "src/http/configured-plan.ts",
    ".filter((path) => config.isSet(path))",
    "",
    "native-tests/http/configured-plan.test.ts",
  ],
  [
    "configuration: a key that nothing reads",
    "src/http/configured-plan.ts",
    "const unread = set.filter((path) => !settings.has(path) && !readsElsewhere(path));",
    "const unread = set.filter(() => false);",
    "native-tests/http/configured-plan.test.ts",
  ],
  [
    "log: ids of the request",
    "src/http/ingress-supply.ts",
    "  [Log, [RequestId, TraceContext]],\n",
    "",
    "native-tests/telemetry/logging/log-reports.test.ts",
  ],
  [
    "tls: the old app goes on with its connections",
    "src/http/listeners.ts",
    "    else use.onNone = end;\n",
    "    else end();\n",
    TLS_RELOAD,
  ],
  [
    "tls: the old listener closes",
    "src/http/listeners.ts",
    "    this.#server.us_listen_socket_close(before.listening.socket);\n",
    "",
    TLS_RELOAD,
  ],
  [
    "tls: a proxy is believed that a client spoke plain HTTP",
    "src/http/client.ts",
    'const spoken = scheme === "" ? this.#own : scheme;',
    "const spoken = this.#own;",
    "native-tests/http/client.test.ts",
  ],
  [
    "stopping: a run is waited for without its client",
    "src/http/server.ts",
    "this.#inFlight.count === 0 && dispatcher.running === 0",
    "this.#inFlight.count === 0",
    STOPPING,
  ],
  [
    "stopping: what an idle connection brings is waited for",
    "src/http/server.ts",
    "const drained = answered && (await until(isIdle, endsAt));",
    "const drained = answered;",
    STOPPING,
  ],
  [
    "lifecycle: a hook's failure is not the others'",
    "src/http/lifecycle.ts",
    "this.#failed(entry.name, error);",
    "throw error;",
    "native-tests/http/lifecycle.test.ts",
  ],
  [
    "lifecycle: what was declared before a failing hook is undone",
    "src/http/server.ts",
    "await this.#stopOnce(0);",
    "",
    "native-tests/http/lifecycle.test.ts",
  ],
  [
    "health: a call that hangs is not repeated",
    "src/http/health.ts",
    "(now < this.#staysUntil || now < this.#hangsUntil)",
    "now < this.#staysUntil",
    "native-tests/http/health-check.test.ts",
  ],
  [
    "health: one run for all who ask",
    "src/http/health.ts",
    "this.#running ??= this.#run(now);",
    "this.#running = this.#run(now);",
    "native-tests/http/health-check.test.ts",
  ],
  [
    "health: guards do not stand before probes",
    "src/http/composition.ts",
    "route.isProbe ? NOTHING : plan",
    "plan",
    "native-tests/http/health.test.ts",
  ],
];
