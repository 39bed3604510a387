// Lines of how an ingress is set up, begins and stops. mutate.mjs says what a row is.

const EXTENSIONS = "native-tests/http/serving/extensions.test.ts";
const TLS_RELOAD = "native-tests/http/tls/reload.test.ts";
const STOPPING = "native-tests/heavy/processes/stopping.test.ts";
const UPLOADS_WIRE = "native-tests/heavy/wire/uploads.test.ts";

export default [
  [
    "uploads: a server that stops waits for who writes one",
    "src/http/request/request-run.ts",
    "    this.#reading += 1;\n",
    "",
    UPLOADS_WIRE,
  ],
  [
    "undo stack: one that hangs leaves the others their time",
    "src/http/serving/lifecycle.ts",
    "this.#entries.length === 0 ? left : left / 2",
    "left",
    "native-tests/http/serving/lifecycle.test.ts",
  ],
  [
    "rejections: whose request it was is told",
    "src/http/serving/process-guards.ts",
    "const requestId = requestIdOfRejection();",
    "const requestId = undefined;",
    STOPPING,
  ],
  [
    "rejections: a body that comes later belongs to its request",
    "src/http/serving/rejection-context.ts",
    "onData.call(response, AsyncResource.bind(handler))",
    "onData.call(response, handler)",
    STOPPING,
  ],
  [
    "extensions: what is told of answers is told of those of no route",
    "src/http/request/dispatcher.ts",
    "policy.observers.length + extensions.observers.length > 0",
    "policy.observers.length > 0",
    EXTENSIONS,
  ],
  [
    "extensions: who comes from inside chooses no host",
    "src/http/request/in-process-request.ts",
    "headers.filter(([name]) => !OWN.has(name.toLowerCase()))",
    "headers.filter(() => true)",
    EXTENSIONS,
  ],
  [
    "extensions: what has begun is ended",
    "src/http/serving/lifecycle.ts",
    "      this.#begun.push(`extension '${name}'`, () => started.stop?.());\n",
    "",
    EXTENSIONS,
  ],
  [
    "configuration: only what is set",
    "src/http/ingress/configured-plan.ts",
    ".filter((path) => config.isSet(path))",
    "",
    "native-tests/http/ingress/configured-plan.test.ts",
  ],
  [
    "configuration: a key that nothing reads",
    "src/http/ingress/configured-plan.ts",
    "const unread = set.filter((path) => !settings.has(path) && !readsElsewhere(path));",
    "const unread = set.filter(() => false);",
    "native-tests/http/ingress/configured-plan.test.ts",
  ],
  [
    "log: ids of the request",
    "src/http/request/ingress-supply.ts",
    "  [Log, [RequestId, TraceContext]],\n",
    "",
    "native-tests/telemetry/logging/log-reports.test.ts",
  ],
  [
    "tls: the old app goes on with its connections",
    "src/http/serving/listeners.ts",
    "    else use.onNone = end;\n",
    "    else end();\n",
    TLS_RELOAD,
  ],
  [
    "tls: the old listener closes",
    "src/http/serving/listeners.ts",
    "    this.#server.us_listen_socket_close(before.listening.socket);\n",
    "",
    TLS_RELOAD,
  ],
  [
    "tls: a proxy is believed that a client spoke plain HTTP",
    "src/http/client/client.ts",
    'const named = scheme === "" ? this.#own : scheme;',
    "const named = this.#own;",
    "native-tests/http/client/client.test.ts",
  ],
  [
    "stopping: a run is waited for without its client",
    "src/http/serving/server.ts",
    "this.#inFlight.count === 0 && served.routes.running === 0",
    "this.#inFlight.count === 0",
    STOPPING,
  ],
  [
    "stopping: what an idle connection brings is waited for",
    "src/http/serving/server.ts",
    "const drained = answered && (await until(isIdle, endsAt));",
    "const drained = answered;",
    STOPPING,
  ],
  [
    "lifecycle: a hook's failure is not the others'",
    "src/http/serving/lifecycle.ts",
    "this.#failed(entry.name, error);",
    "throw error;",
    "native-tests/http/serving/lifecycle.test.ts",
  ],
  [
    "lifecycle: what was declared before a failing hook is undone",
    "src/http/serving/server.ts",
    "await this.#stopOnce(0);",
    "",
    "native-tests/http/serving/lifecycle.test.ts",
  ],
  [
    "health: a call that hangs is not repeated",
    "src/http/serving/health.ts",
    "(now < this.#staysUntil || now < this.#hangsUntil)",
    "now < this.#staysUntil",
    "native-tests/http/serving/health-check.test.ts",
  ],
  [
    "health: one run for all who ask",
    "src/http/serving/health.ts",
    "this.#running ??= this.#run(now);",
    "this.#running = this.#run(now);",
    "native-tests/http/serving/health-check.test.ts",
  ],
  [
    "health: guards do not stand before probes",
    "src/http/request/composition.ts",
    "route.isProbe ? NOTHING : plan",
    "plan",
    "native-tests/http/serving/health.test.ts",
  ],
];
