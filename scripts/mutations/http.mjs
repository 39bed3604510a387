// Lines of the ingress: answers and what stands behind them. mutate.mjs says what a row is.

const INGRESS = "native-tests/http";
const STREAMED = "native-tests/http/answer/streams.test.ts";
const STREAMED_WIRE = "native-tests/heavy/wire/streamed-answers.test.ts";
const COUNTED = "native-tests/http/answer/counted-pieces.test.ts";
const RECORDING = "native-tests/http/request/joined-recorder.test.ts";
const WEBSOCKET_CONNECTIONS = "native-tests/wire/websocket-connections.test.ts";
const WEBSOCKET = "native-tests/http/websocket";
const IDEMPOTENCY = "native-tests/http/idempotency/idempotency.test.ts";
const FREED_KEYS = "native-tests/http/idempotency/idempotency-freed-keys.test.ts";
const KEY_CALLERS = "native-tests/wire/idempotency-callers.test.ts";
const HELD_KEYS = "native-tests/http/idempotency/idempotency-in-progress.test.ts";
const KEY_STORE_FAILURES = "native-tests/http/idempotency/idempotency-store-failures.test.ts";
const CODINGS = "native-tests/http/answer/accept-encoding.test.ts";
const COMPRESSION = ["compressed-routes", "compressed-conditions", "compressed-streams"]
  .map((name) => `native-tests/http/answer/compression/${name}.test.ts`)
  .join(" ");

export default [
  [
    "streams: empty pieces let others have their turn",
    "src/http/answer/byte-pull.ts",
    "if (empty % TURN_EMPTY === 0) await turn();",
    "",
    "native-tests/http/answer/streams.test.ts",
  ],
  [
    "compression: a coding that is refused is not sent",
    "src/http/answer/accept-encoding.ts",
    'let best = Math.max(weightOf(accepted, "identity") - 1, 0);',
    "let best = -1;",
    CODINGS,
  ],
  [
    "compression: of a coding that is named twice the lower weight counts",
    "src/http/answer/accept-encoding.ts",
    "Math.min(weight, weights.get(coding) ?? 1000)",
    "weight",
    CODINGS,
  ],
  [
    "compression: a route may leave it out",
    "src/http/request/circuit.ts",
    "route.compress ? declared : declared.uncompressed",
    "declared",
    COMPRESSION,
  ],
  [
    "compression: what knows how it is sent is left alone",
    "src/http/answer/answer.ts",
    "    exchange.leaveAlone();\n",
    "",
    COMPRESSION,
  ],
  [
    "idempotency: keys are each client's own",
    "src/http/idempotency/idempotency.ts",
    "JSON.stringify([client, method, ",
    "JSON.stringify([method, ",
    IDEMPOTENCY,
  ],
  [
    "idempotency: unknown callers share no scope",
    "src/http/idempotency/idempotency.ts",
    "    if (client === undefined) return CALLER_UNKNOWN;\n",
    "",
    KEY_CALLERS,
  ],
  [
    "idempotency: the guard's own scope counts for verified callers too",
    "src/http/idempotency/idempotency.ts",
    'this.#policy.scope === "own"',
    "false",
    KEY_CALLERS,
  ],
  [
    "idempotency: callers are verified in front of the input",
    "src/http/request/idempotent-route.ts",
    "if (late !== undefined)",
    "if (false)",
    "native-tests/http/idempotency/idempotency-routes.test.ts",
  ],
  [
    "idempotency: unverified callers with cookies need one that is named",
    "src/http/request/idempotent-route.ts",
    "if (policy.scope === undefined && readsCookie && !isGiven && !inFront.some(alwaysVerifies))",
    "if (false)",
    "native-tests/http/idempotency/idempotency-routes.test.ts",
  ],
  [
    "idempotency: where anonymous callers pass, cookies need one that is named",
    "src/http/request/idempotent-route.ts",
    "!inFront.some(alwaysVerifies)",
    "!inFront.some(mayVerify)",
    "native-tests/http/idempotency/idempotency-routes.test.ts",
  ],
  [
    "idempotency: keys are those of whom withIam has verified",
    "src/http/idempotency/idempotency.ts",
    "verified === undefined ? request.client : verifiedIdentity(verified)",
    "request.client",
    "native-tests/http/idempotency/idempotency-verified-callers.test.ts",
  ],
  [
    "idempotency: a request is another one by its body",
    "src/http/idempotency/idempotency.ts",
    "    .update(body)\n",
    "",
    IDEMPOTENCY,
  ],
  [
    "idempotency: another request is not answered from the store",
    "src/http/idempotency/idempotency.ts",
    "        if (claim.fingerprint !== fingerprint) return MISMATCH;\n        if (claim.answer",
    "        if (claim.answer",
    IDEMPOTENCY,
  ],
  [
    "idempotency: a claim that comes too late is given back",
    "src/http/idempotency/idempotency.ts",
    "(late) => this.#giveBack(late, exchange),",
    "() => {},",
    KEY_STORE_FAILURES,
  ],
  [
    "idempotency: nothing is run for who has gone before its claim",
    "src/http/idempotency/idempotency.ts",
    "    if (exchange.isAbandoned) {\n      this.#giveBack(claim, exchange);",
    "    if (false) {\n      this.#giveBack(claim, exchange);",
    KEY_STORE_FAILURES,
  ],
  [
    "idempotency: the body outlives the wait for a store",
    "src/http/idempotency/idempotency.ts",
    "const copy = Buffer.from(body);",
    "const copy = body;",
    KEY_STORE_FAILURES,
  ],
  [
    "idempotency: stopping waits for answers on their way",
    "src/http/idempotency/idempotency.ts",
    "      this.settling += 1;\n",
    "",
    KEY_STORE_FAILURES,
  ],
  [
    "idempotency: a run that was aborted holds its key",
    "src/http/idempotency/keyed-answer.ts",
    'return error.code === "RUN_ABORTED" ? "held" : "released";',
    'return "released";',
    HELD_KEYS,
  ],
  [
    "idempotency: what is refused of an input is not kept",
    "src/http/idempotency/keyed-answer.ts",
    '  if (error instanceof Refusal) return "released";\n',
    "",
    FREED_KEYS,
  ],
  [
    "idempotency: a run that holds a key goes on without its client",
    "src/http/request/request-run.ts",
    "      if (exchange.particulars.keyed === null || hasEnded) abandon(state",
    "      abandon(state",
    HELD_KEYS,
  ],
  [
    "idempotency: a body that nobody reads is one",
    "src/http/request/circuit.ts",
    " || idempotency !== undefined,",
    ",",
    IDEMPOTENCY,
  ],
  [
    "cors: a preflight for a method that is not there",
    "src/http/request/dispatcher.ts",
    "if (circuit instanceof Circuit) return circuit;",
    "return circuit instanceof Circuit ? circuit : this.#fallback;",
    "native-tests/http/guards/cors-preflight.test.ts",
  ],
  [
    "answer: a redirect has a length",
    "src/http/answer/answer.ts",
    "const bodiless = status === 204 || status === 304;",
    "const bodiless = body === undefined;",
    INGRESS,
  ],
  [
    "answer: an iterator is no data",
    "src/http/answer/answer.ts",
    'if (typeof next === "function")',
    "if (false)",
    INGRESS,
  ],
  [
    "streams: no piece before there is room",
    "src/http/answer/streamed-answer.ts",
    "if (!stream.isOver) await this.#room();",
    "",
    STREAMED,
  ],
  [
    "streams: others have their turn",
    "src/http/answer/streamed-answer.ts",
    "await turn();",
    "void 0;",
    STREAMED,
  ],
  [
    "streams: a wrong length ends its source",
    "src/http/answer/streamed-answer.ts",
    "if (error instanceof LengthError || error instanceof PieceError) this.#stop();",
    "",
    STREAMED,
  ],
  [
    "streams: no time limit once they have begun",
    "src/http/answer/streamed-answer.ts",
    "      this.#unwatch();\n      await this.#hand(",
    "      await this.#hand(",
    STREAMED_WIRE,
  ],
  [
    "streams: the signal of a run that is over",
    "src/http/request/request-run.ts",
    "if (state.control !== null) exchange.whenAborted(() => abandon(state, exchange));",
    "",
    STREAMED_WIRE,
  ],
  [
    "streams: the last piece is a copy",
    "src/http/answer/byte-pull.ts",
    "const last = new Uint8Array(piece);",
    "const last = piece;",
    COUNTED,
  ],
  [
    "streams: half a character waits for its other half",
    "src/http/answer/byte-pull.ts",
    "const isCut = last >= 0xd800 && last <= 0xdbff;",
    "const isCut = false;",
    COUNTED,
  ],
  [
    "ingress: content type",
    "src/http/input/body-media.ts",
    "media === undefined || media.accepts(contentType) ? null : media.refusal",
    "null",
    INGRESS,
  ],
  [
    "ingress: masking",
    "src/http/answer/fault-problem.ts",
    "production\n    ? MASKED",
    "false\n    ? MASKED",
    INGRESS,
  ],
  [
    "ingress: a client that goes away aborts",
    "src/http/request/request-run.ts",
    'abandonRun(state, phase === "aborted" ? GONE.error.reason : new Error("The answer was given up"));',
    "undefined;",
    INGRESS,
  ],
  [
    "ingress: one request id",
    "src/http/answer/problem-answer.ts",
    "  exchange.requestId ||= newRequestId();\n",
    "",
    INGRESS,
  ],
  [
    "ingress: missing keys are told",
    "src/http/request/mounted-routes.ts",
    "requireNoneMissing([...circuits.flatMap(missingOn), ...behind]);",
    "",
    INGRESS,
  ],
  [
    "ingress: a reporter that rejects",
    "src/http/ingress/ingress.ts",
    "pendingOf(reporter(report))?.catch(failed);",
    "reporter(report);",
    INGRESS,
  ],
  [
    "recording: who throws keeps nothing from the others",
    "src/http/request/joined-recorder.ts",
    "        pending = both(pending, Promise.reject(error));\n",
    "        throw error;\n",
    RECORDING,
  ],
  [
    "websocket: whom open let in is told where something else is answered",
    "src/http/request/request-run.ts",
    "if (this.#upgrades) exchange.particulars.opening?.lost();",
    "",
    WEBSOCKET,
  ],
  [
    "websocket: connections that have ended are counted no more",
    "src/http/serving/listeners.ts",
    "    connections.ended();",
    "",
    WEBSOCKET_CONNECTIONS,
  ],
  [
    "websocket: a stopping server says so",
    "src/http/serving/server.ts",
    'served.webSockets.close(1001, "The server stops");',
    "",
    WEBSOCKET_CONNECTIONS,
  ],
  [
    "security headers: a guard further in has the last word",
    "src/http/request/header-steps.ts",
    "all.filter(({ added }) => !inner.has(added.name))",
    "all",
    "native-tests/http/guards/security-headers.test.ts",
  ],
];
