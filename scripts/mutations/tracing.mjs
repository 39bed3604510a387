// Traces of requests, and their way to a collector. mutate.mjs says what a row is.

const SPAN_QUEUE = "native-tests/telemetry/tracing/span-queue.test.ts";
const REQUEST_TRACES =
  "native-tests/http/request-traces.test.ts native-tests/http/outgoing/call-traces.test.ts";

const ACTIVE_CONTEXT = "native-tests/http/active-context.test.ts";
const CONTINUED = "native-tests/telemetry/tracing/continued-runs.test.ts";
const MESSAGE_TRACES = "native-tests/http/websocket/message-traces.test.ts";
const SPAN_TREE = "native-tests/http/span-tree.test.ts";

export default [
  [
    "spans: what has no room is dropped",
    "src/telemetry/tracing/span-queue.ts",
    "if (this.#waiting.length >= maxSpans) {",
    "if (false) {",
    SPAN_QUEUE,
  ],
  [
    "spans: one batch at a time",
    "src/telemetry/tracing/span-queue.ts",
    "    if (this.#sending !== undefined) return;\n",
    "",
    SPAN_QUEUE,
  ],
  [
    "spans: losses are told once a minute",
    "src/telemetry/tracing/span-queue.ts",
    "if (this.#options.clock.now() - this.#reportedAt >= REPORTED_EVERY_MS) this.#report();",
    "this.#report();",
    SPAN_QUEUE,
  ],
  [
    "spans: an export that never ends is given up",
    "src/telemetry/tracing/span-queue.ts",
    "resolve(`the endpoint took longer than ${exportTimeoutMs} ms`),",
    "undefined,",
    SPAN_QUEUE,
  ],
  [
    "traces: the caller's part is the parent",
    "src/http/request-traces.ts",
    "return { ...trace, spanId: trace.parentSpanId as string };",
    "return trace;",
    REQUEST_TRACES,
  ],
  ["traces: two callers are none", "src/http/request-traces.ts", "!exchange.repeats && ", "", REQUEST_TRACES],
  [
    "traces: probes leave none",
    "src/http/circuit.ts",
    "if (this.isProbe) forgetTrace(exchange);",
    "",
    REQUEST_TRACES,
  ],
  [
    "traces: a secret's place in a path is not shown",
    "src/schema/shown-path.ts",
    "if (!pattern.some(isSecret)) return undefined;",
    "return undefined;",
    REQUEST_TRACES,
  ],
  [
    "traces: a line of the log has the server's span",
    "src/http/request-facts.ts",
    "exchange.own().trace ??= traceOf(request, exchange.isTraced)",
    "exchange.own().trace = traceOf(request, exchange.isTraced)",
    "native-tests/telemetry/tracing/tracing-process.test.ts",
  ],
  [
    "traces: the circuit's recorder hears of no more than it asked for",
    "src/runtime/watch.ts",
    "const own = this.#hears() ? this.#options.recorder : undefined;",
    "const own = this.#options.recorder;",
    REQUEST_TRACES,
  ],
  [
    "spans: a node stands in the innermost one that is open around it",
    "src/runtime/visit.ts",
    "at = at.around) {",
    "at = undefined) {",
    "native-tests/runtime/node-spans.test.ts",
  ],
  [
    "spans: a step with a limit has its own place",
    "src/runtime/timeout-step.ts",
    "TracedBus.over(fork.bus, bus)",
    "fork.bus",
    SPAN_TREE,
  ],
  [
    "spans: what the first try has done stands in it",
    "src/telemetry/tracing/run-nodes.ts",
    "    this.#nodes.handOver(node, first);\n",
    "",
    SPAN_TREE,
  ],
  [
    "spans: a branch ends where something else begins",
    "src/telemetry/tracing/own-span.ts",
    "if (id.startsWith(`${last.path}/`) || id.startsWith(`${last.path}:`)) return last.own;",
    "return last.own;",
    SPAN_TREE,
  ],
  [
    "spans: there are so many and no more",
    "src/telemetry/tracing/run-nodes.ts",
    "if (this.all.length === MAX_SPANS) {",
    "if (false) {",
    SPAN_TREE,
  ],
  [
    "spans: an endpoint for traces is used as it is",
    "src/telemetry/tracing/endpoint.ts",
    "  if (isForTraces) return endpoint;\n",
    "",
    "native-tests/telemetry/tracing/standard-variables.test.ts",
  ],
  [
    "traces: a message is linked to its handshake",
    "src/http/websocket/opening.ts",
    "connection.handshakeSpan = { traceId, spanId };",
    "",
    "native-tests/http/websocket/message-traces.test.ts",
  ],
  [
    "traces: they are sent when the server stops",
    "src/http/server.ts",
    "await Promise.all([this.#lifecycle.end(closedBy), flushed]);",
    "await this.#lifecycle.end(closedBy);",
    REQUEST_TRACES,
  ],
  [
    "spans: that of a message ends where the framework fails",
    "src/http/websocket/connection-circuit.ts",
    "// Also where the framework itself fails: who called reports that.\n      kept.end(status);",
    "if (status !== 500) kept.end(status);",
    MESSAGE_TRACES,
  ],
  [
    "spans: a step keeps what a layer has made active",
    "src/telemetry/tracing/tracing.ts",
    "there === undefined || there.traceId === own.traceId ? active : ROOT_CONTEXT;",
    "ROOT_CONTEXT;",
    ACTIVE_CONTEXT,
  ],
  [
    "spans: what another request has active is not a step's",
    "src/telemetry/tracing/tracing.ts",
    "there === undefined || there.traceId === own.traceId ? active : ROOT_CONTEXT;",
    "active;",
    ACTIVE_CONTEXT,
  ],
  [
    "spans: a dead letter knows its run's trace",
    "src/runtime/run-ending.ts",
    "...(mark && { trace: mark }),",
    "",
    CONTINUED,
  ],
  [
    "spans: a resumed run says where it goes on",
    "src/runtime/run-log.ts",
    "trace: entry.trace ?? log.trace,",
    "trace: log.trace,",
    CONTINUED,
  ],
  [
    "spans: what a store says may be no trace",
    "src/telemetry/tracing/continued-run.ts",
    'typeof text === "string" && pattern.test(text) && !isZero(text);',
    'typeof text === "string";',
    CONTINUED,
  ],
  [
    "spans: what runs inside a layer is of the run's trace",
    "src/runtime/fork.ts",
    "if (mark !== null) this.due().mark = mark;",
    "",
    CONTINUED,
  ],
  [
    "streams: who is told of a stream that nobody is sent knows the request",
    "src/runtime/layer-step.ts",
    "    const request = this.#request;",
    "    const { request } = this.#bus.state;",
    "native-tests/http/ingress/unsent-streams.test.ts",
  ],
];
