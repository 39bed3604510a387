// Breaks named lines, one at a time, in a copy, and expects the tests to go red. A
// line whose loss nobody notices is not tested. `npm run mutate -- WORD` runs those
// whose name has the word.

import { availableParallelism } from "node:os";

import { countOf, makeCopy, replaceIn, restore, runIn } from "./repository-copy.mjs";

const EXECUTOR = "native-tests/runtime/executor.test.ts";
const BUS = "native-tests/runtime/bus.test.ts";
const INGRESS = "native-tests/http/ingress";
const ROUTER = "native-tests/http/router.test.ts";
const GATE = "native-tests/http/native/gate.test.ts";
const EXCHANGE = "native-tests/http/native/exchange.test.ts";
const BODY = "native-tests/http/native/body.test.ts";
const JSON_BODY = "native-tests/http/json-body.test.ts";
const COPIES = "native-tests/core/two-copies.test.ts";
const VALIDATOR = "native-tests/schema/validator.test.ts";

/** Name, file, the line as it is, the line broken, the tests that must notice. */
const MUTATIONS = [
  ["gate: two lengths", "src/http/native/framing.ts", "if (lengths > 1) return DUPLICATE_LENGTH;", "", GATE],
  [
    "gate: length and coding",
    "src/http/native/framing.ts",
    "if (lengths > 0 && codings > 0) return BOTH;",
    "",
    GATE,
  ],
  [
    "gate: digits of a length",
    "src/http/native/framing.ts",
    "const DIGITS = /^\\d{1,15}$/;",
    "const DIGITS = /^.*$/;",
    GATE,
  ],
  [
    "gate: one coding alone",
    "src/http/native/framing.ts",
    'if (coding === "chunked") return undefined;',
    'if (coding.endsWith("chunked")) return undefined;',
    GATE,
  ],
  [
    "gate: an empty length counts",
    "src/http/native/head-fields.ts",
    "this.lengths += 1;",
    'if (value !== "") this.lengths += 1;',
    GATE,
  ],
  [
    "gate: lengths are counted",
    "src/http/native/head-fields.ts",
    "this.lengths += 1;",
    "this.lengths = 1;",
    GATE,
  ],
  [
    "gate: codings are counted",
    "src/http/native/head-fields.ts",
    "this.codings += 1;",
    "this.codings = 1;",
    GATE,
  ],
  ["gate: Host", "src/http/native/head-fields.ts", "this.host ||= value;", 'this.host = "a";', GATE],
  ["gate: Expect", "src/http/native/head-fields.ts", "this.expect ||= value;", "", GATE],
  ["gate: expectation", "src/http/native/gate.ts", "return UNKNOWN_EXPECTATION;", "return null;", GATE],
  ["gate: Host syntax", "src/http/native/gate.ts", "if (!isHost(host)) return INVALID_HOST;", "", GATE],
  [
    "gate: no Host is remembered at first",
    "src/http/native/gate.ts",
    '#lastHost = " ";',
    '#lastHost = "";',
    GATE,
  ],
  ["gate: method", "src/http/native/gate.ts", "!METHODS.has(method)", "false", GATE],
  [
    "gate: target length counts the query",
    "src/http/native/gate.ts",
    "path.length + 1 + query.length > MAX_TARGET_LENGTH",
    "path.length > MAX_TARGET_LENGTH",
    GATE,
  ],
  ["gate: NUL in the query", "src/http/native/gate.ts", '!query.includes("%00") && ', "", GATE],
  [
    "header check: value",
    "src/http/native/header-syntax.ts",
    "const VALUE = /^[\\t\\x20-\\x7e]*$/;",
    "const VALUE = /^[^]*$/;",
    "native-tests/http/native/header-syntax.test.ts",
  ],
  [
    "decoding: once",
    "src/http/native/path-decoding.ts",
    "return decodeURIComponent(raw);",
    "return decodeURIComponent(decodeURIComponent(raw));",
    ROUTER,
  ],
  ["decoding: NUL", "src/http/native/path-decoding.ts", '|| segment.includes("\\0")', "", ROUTER],
  ["decoding: encoded slash", "src/http/native/path-decoding.ts", 'segment.includes("/") || ', "", ROUTER],
  [
    "router: static before parameter",
    "src/http/route-tree.ts",
    "if (fixed !== undefined) {",
    "if (fixed !== undefined && node.param === undefined) {",
    ROUTER,
  ],
  [
    "executor: abort between steps after a promise",
    "src/runtime/straight.ts",
    "if (state.control !== null && state.control.aborted) return state.control.abortion();",
    "",
    EXECUTOR,
  ],
  [
    "executor: an outcome after a promise",
    "src/runtime/straight.ts",
    '        if (value != null && value.then !== undefined) return leave(${at}, value, state);`,\n  ].join("\\n");\n}\n\n/** The generated',
    '`,\n  ].join("\\n");\n}\n\n/** The generated',
    EXECUTOR,
  ],
  [
    "router: goes back",
    "src/http/route-tree.ts",
    "const found = search(fixed, segments, at + 1);\n    if (found !== undefined) return found;",
    "return search(fixed, segments, at + 1);",
    ROUTER,
  ],
  [
    "router: the rest of a path",
    "src/http/pattern.ts",
    'path.slice(at).join("/")',
    "(path[at] as string)",
    ROUTER,
  ],
  ["router: no empty parameter", "src/http/route-tree.ts", ' && segment !== ""', "", ROUTER],
  [
    "router: HEAD follows GET",
    "src/http/router.ts",
    'if (route.method === "GET") this.#insert("HEAD", route);',
    "",
    ROUTER,
  ],
  ["router: conflicts", "src/http/router.ts", "if (known === undefined) return;", "return;", ROUTER],
  [
    "exchange: abort handler before waiting",
    "src/http/native/exchange.ts",
    'this.phase = "waiting";\n    this.#listen();',
    'this.phase = "waiting";',
    EXCHANGE,
  ],
  [
    "exchange: refusals from a macrotask",
    "src/http/native/exchange.ts",
    "setImmediate(() => this.#writeLast(block, body));",
    "this.#writeLast(block, body);",
    EXCHANGE,
  ],
  [
    "exchange: chunked ends the connection",
    "src/http/native/exchange.ts",
    "this.bodyLength === CHUNKED || ",
    "",
    EXCHANGE,
  ],
  [
    "exchange: nothing after an abort",
    "src/http/native/exchange.ts",
    'if (this.phase === "aborted") return;\n    try',
    "try",
    EXCHANGE,
  ],
  ["exchange: HEAD has no body", "src/http/native/exchange.ts", 'this.method === "HEAD"', "false", EXCHANGE],
  [
    "exchange: a large last answer",
    "src/http/native/exchange.ts",
    "if (ends) response.pause();",
    "",
    EXCHANGE,
  ],
  [
    "exchange: an empty last answer",
    "src/http/native/exchange.ts",
    '.writeHeader("connection", "close").pause()',
    "",
    EXCHANGE,
  ],
  [
    "exchange: large bodies in pieces",
    "src/http/native/exchange.ts",
    "body.subarray(offset)",
    "body",
    EXCHANGE,
  ],
  [
    "body: limit by length",
    "src/http/native/body.ts",
    "if (exchange.bodyLength > limit) {",
    "if (false) {",
    BODY,
  ],
  [
    "body: limit while counting",
    "src/http/native/body.ts",
    "if ((collected?.length ?? 0) + piece.byteLength > limit) {",
    "if (piece.byteLength > limit) {",
    BODY,
  ],
  [
    "body: deadline",
    "src/http/native/body.ts",
    "deadlines.add(() => refuse(TIMED_OUT))",
    "deadlines.add(() => {})",
    BODY,
  ],
  [
    "body: bytes are copied",
    "src/http/extraction.ts",
    "bodyReader((body) => new Uint8Array(body))",
    "bodyReader((body) => body)",
    "native-tests/wire/requests.test.ts",
  ],
  [
    "JSON: prototype keys",
    "src/http/json-body.ts",
    'if (Object.hasOwn(value, "__proto__")) return true;',
    "",
    JSON_BODY,
  ],
  ["JSON: escaped prototype keys", "src/http/json-body.ts", ' || text.includes("\\\\u00")', "", JSON_BODY],
  ["JSON: depth", "src/http/json-body.ts", "depthOf(body) > MAX_DEPTH", "false", JSON_BODY],
  [
    "JSON: byte order mark",
    "src/http/json-body.ts",
    "if (text.charCodeAt(0) === 0xfeff) return BYTE_ORDER_MARK;",
    "",
    JSON_BODY,
  ],
  [
    "ingress: content type",
    "src/http/circuit.ts",
    "wantsJson && !isJson(contentType) ? NOT_JSON : null",
    "null",
    INGRESS,
  ],
  [
    "ingress: masking",
    "src/http/fault-problem.ts",
    "production\n    ? MASKED",
    "false\n    ? MASKED",
    INGRESS,
  ],
  [
    "ingress: a client that goes away aborts",
    "src/http/circuit.ts",
    "exchange.onAbort = () => abort(state);",
    "",
    INGRESS,
  ],
  [
    "ingress: one request id",
    "src/http/problem-answer.ts",
    "exchange.requestId ||= newRequestId();\n  exchange.send(problemBlock",
    "exchange.send(problemBlock",
    INGRESS,
  ],
  [
    "ingress: missing keys are told",
    "src/http/dispatcher.ts",
    "requireNoneMissing(circuits.flatMap((circuit) => circuit.missing));",
    "",
    INGRESS,
  ],
  [
    "Bus: cleared after a run",
    "src/runtime/straight.ts",
    "...cleared.map((slot) => `  values[${slot}] = undefined;`),",
    "",
    BUS,
  ],
  [
    "Bus: released on an ingress",
    "src/runtime/straight.ts",
    '...(ownBus ? ["  bus.state = released;"] : []),',
    "",
    BUS,
  ],
  ["Bus: a run that waited keeps its state", "src/runtime/program.ts", "if (state.waited) return;", "", BUS],
  [
    "Bus: a signal that was given away",
    "src/runtime/straight.ts",
    '"  if (state.control !== null) return value;",',
    "",
    BUS,
  ],
  [
    "Bus: access check",
    "src/runtime/checked-step.ts",
    "if (this.#access[call].has(key)) return;",
    "return;",
    BUS,
  ],
  [
    "Bus: promised writes",
    "src/runtime/checked-step.ts",
    "if (unwritten === undefined) return;",
    "return;",
    BUS,
  ],
  [
    "executor: a branch rejoins",
    "src/runtime/flatten.ts",
    "this.line(instruction.next, () => this.axon(body",
    "this.line(END, () => this.axon(body",
    EXECUTOR,
  ],
  [
    "executor: jump limit",
    "src/runtime/loop.ts",
    "if (state.countJump() > program.maxJumps) {",
    "if (false) {",
    EXECUTOR,
  ],
  [
    "executor: undeclared jumps",
    "src/runtime/loop.ts",
    "if (target === undefined) return undeclared(instruction, `jump '${control.label}'`);",
    "if (target === undefined) return on(state, instruction.next, control.payload);",
    EXECUTOR,
  ],
  [
    "executor: events reach their sinks",
    "src/runtime/loop.ts",
    "deliver(instruction, { name, payload: control.payload }, program.reporter);",
    "",
    EXECUTOR,
  ],
  [
    "executor: a sink that rejects",
    "src/runtime/event-delivery.ts",
    "if (sent instanceof Promise) sent.catch(failed);",
    "",
    EXECUTOR,
  ],
  [
    "executor: abort between steps",
    "src/runtime/loop.ts",
    "    if (state.control?.stopped === true) return state.control.abortion();\n",
    "",
    EXECUTOR,
  ],
  [
    "executor: abort of a pending step",
    "src/runtime/run-control.ts",
    "if (this.waiting) this.end(this.abortion());",
    "",
    EXECUTOR,
  ],
  [
    "executor: late answers change nothing",
    "src/runtime/loop.ts",
    "if (control.ended) return;",
    "",
    EXECUTOR,
  ],
  [
    "executor: foreign thenables",
    "src/runtime/loop.ts",
    "pending instanceof Promise ? pending : Promise.resolve(pending)",
    "pending",
    EXECUTOR,
  ],
  [
    "executor: a Control is no promise",
    "src/core/outcome.ts",
    'Object.defineProperty(ControlBase.prototype, "then", { value: Object.freeze({ kind: "not a promise" }) });',
    "",
    EXECUTOR,
  ],
  [
    "assignment: a branch edge writes nothing",
    "src/runtime/definite-assignment.ts",
    "...jumps.values()].map((to) => ({ to, written: false })),",
    "...jumps.values()].map((to) => ({ to, written: true })),",
    "native-tests/runtime/definite-assignment.test.ts",
  ],
  ["schema: code points", "src/schema/string-rules.ts", "PAIR.test(value) ? ", "false ? ", VALIDATOR],
  [
    "schema: pattern input is bounded",
    "src/schema/pattern.ts",
    "value.length <= MAX_INPUT && ",
    "",
    VALIDATOR,
  ],
  [
    "schema: dangerous patterns",
    "src/schema/pattern.ts",
    "const why = danger(compiled);",
    "const why = danger(/a/);",
    VALIDATOR,
  ],
  [
    "provide: a promise is awaited from the first run on",
    "src/http/provided-value.ts",
    '"later" : "unknown"',
    '"later" : "at-once"',
    "native-tests/http/ingress/provided-values.test.ts",
  ],
  [
    "input: the body's length before the query",
    "src/http/circuit.ts",
    "const refusal = exchange.bodyLength === 0 ? null : this.#refusalOfBody(exchange);",
    "const refusal = exchange.bodyLength === 0 || this.#supply.readsQuery ? null : this.#refusalOfBody(exchange);",
    "native-tests/http/ingress/input.test.ts",
  ],
  [
    "loop: a control that comes after the first wait",
    "src/runtime/loop.ts",
    "told(goOnLater(program, at, answer, state), state)",
    "goOnLater(program, at, answer, state)",
    "native-tests/runtime/executor.test.ts",
  ],
  [
    "loop: an ending hears of an abort",
    "src/runtime/loop.ts",
    "(state.trace !== null || program.ending !== undefined)",
    "state.trace !== null",
    "native-tests/http/ingress/composites.test.ts",
  ],
  [
    "schema: errors are bounded",
    "src/schema/schema-errors.ts",
    ".slice(0, MAX_ERRORS)",
    "",
    "native-tests/schema/schema-errors.test.ts",
  ],
  [
    "schema: walks that part and meet",
    "src/schema/dangerous-pattern.ts",
    "apart.length > 0 && apart.length < pairs.length",
    "false",
    "native-tests/schema/dangerous-pattern.test.ts",
  ],
  [
    "schema: edges of two ways",
    "src/schema/dangerous-pattern.ts",
    "ways > 1 && within.has(to)",
    "false",
    "native-tests/schema/dangerous-pattern.test.ts",
  ],
  [
    "schema: look-arounds are examined",
    "src/schema/dangerous-pattern.ts",
    "unseen.push(...automaton.lookArounds);",
    "",
    "native-tests/schema/dangerous-pattern.test.ts",
  ],
  [
    "schema: nested counts multiply",
    "src/schema/dangerous-pattern.ts",
    "waysThrough(inner), 1)",
    "1, 1)",
    "native-tests/schema/dangerous-pattern.test.ts",
  ],
  [
    "schema: ways in a row multiply",
    "src/schema/dangerous-pattern.ts",
    "ways * ofElement(element), 1",
    "Math.max(ways, ofElement(element)), 1",
    "native-tests/schema/dangerous-pattern.test.ts",
  ],
  [
    "schema: what never matches is tried",
    "src/schema/dangerous-pattern.ts",
    "simplify: false",
    "simplify: true",
    "native-tests/schema/dangerous-pattern.test.ts",
  ],
  [
    "serialiser: odd values are not written whole",
    "src/schema/projection.ts",
    "const meant = fitting.length > 0 ? fitting : all;",
    "if (fitting.length === 0) return ANYTHING;\n  const meant = fitting;",
    "native-tests/schema/serialiser.test.ts",
  ],
  [
    "serialiser: an object is not written as a leaf",
    "src/schema/projection.ts",
    "if (read !== null && !isScalar(read)) throw odd(name, `a ${type}`);",
    "if (read !== null && !isScalar(read)) return read;",
    "native-tests/schema/serialiser.test.ts",
  ],
  [
    "serialiser: a list is not written as an object",
    "src/schema/projection.ts",
    'if (!isObject(read)) throw odd(name, "an object");',
    "if (!isObject(read)) return read;",
    "native-tests/schema/serialiser.test.ts",
  ],
  [
    "serialiser: an object is not written as a list",
    "src/schema/projection.ts",
    'if (!Array.isArray(read)) throw odd(name, "an array");',
    "if (!Array.isArray(read)) return read;",
    "native-tests/schema/serialiser.test.ts",
  ],
  [
    "serialiser: leaves of several types are no anything",
    "src/schema/shape.ts",
    "return { leaves };",
    "return ANYTHING;",
    "native-tests/schema/serialiser.test.ts",
  ],
  [
    "serialiser: lists of a union are merged",
    "src/schema/shape.ts",
    'if (one.type === "array" && other.type === "array") return eitherList(one, other);',
    "",
    "native-tests/schema/serialiser.test.ts",
  ],
  [
    "serialiser: formats do not unescape",
    "src/schema/shape.ts",
    'return { type: "string" };',
    'return { type: "string", format: schema["format"] } as Shape;',
    "native-tests/schema/serialiser.test.ts",
  ],
  [
    "serialiser: what is required",
    "src/schema/shape.ts",
    'required: schema["required"] ?? [],',
    "required: [],",
    "native-tests/schema/serialiser.test.ts",
  ],
  [
    "coercion: no prototype",
    "src/schema/coercion.ts",
    "Object.assign(Object.create(null), raw)",
    "Object.assign({}, raw)",
    "native-tests/schema/coercion.test.ts",
  ],
  [
    "coercion: numbers as JSON writes them",
    "src/schema/coercion.ts",
    "NUMBER.test(text) ? Number(text) : Number.NaN",
    "Number(text)",
    "native-tests/schema/coercion.test.ts",
  ],
  [
    "listening: the port is tried first",
    "src/http/native/listen.ts",
    "await probe({ host: ip, port }, shown);",
    "",
    "native-tests/http/server.test.ts",
  ],
  [
    "listening: a file is not deleted",
    "src/http/native/listen.ts",
    'if (!there.isSocket()) failed(shown, "ENOTSOCK");',
    "",
    "native-tests/http/server.test.ts",
  ],
  [
    "two copies: problems",
    "src/core/problem-detail.ts",
    'interned("ProblemDetail", () => ProblemDetail)',
    "ProblemDetail",
    COPIES,
  ],
  [
    "two copies: errors",
    "src/core/errors.ts",
    'interned("FrameworkError", () => FrameworkError)',
    "FrameworkError",
    COPIES,
  ],
  [
    "two copies: kinds of checks",
    "src/schema/leaf-check.ts",
    "copies.loaded += 1;",
    "copies.loaded = 1;",
    COPIES,
  ],
  [
    "no code: references to nothing",
    "src/schema/validator.ts",
    'TypeCompiler.Code(schema, { language: "javascript" });',
    "",
    VALIDATOR,
  ],
  [
    "no code: one warning",
    "src/schema/code-generation.ts",
    'interned("CodeGenerationWarning", warn);',
    "warn();",
    "native-tests/runtime/no-code-generation.test.ts",
  ],
  [
    "table: its root is the prefix",
    "src/http/route-table.ts",
    'prefix !== "" && path === "/" ? prefix : ',
    "",
    "native-tests/macros",
  ],
  [
    "nodes: a look-alike host",
    "src/core/tenant.ts",
    "domain.endsWith(`.${baseDomain}`)",
    "domain.endsWith(baseDomain)",
    "native-tests/core/tenant.test.ts",
  ],
  [
    "nodes: a look-alike letter",
    "src/core/tenant.ts",
    "const domain = lowerCase(host)",
    "const domain = host.toLowerCase()",
    "native-tests/core/tenant.test.ts",
  ],
  [
    "nodes: the length of a tenant's id",
    "src/core/tenant.ts",
    "(?:[a-z0-9-]{0,61}[a-z0-9])?$/;",
    "(?:[a-z0-9-]*[a-z0-9])?$/;",
    "native-tests/core/tenant.test.ts",
  ],
  [
    "nodes: a malformed tenant is not the default",
    "src/std/resolve-tenant.ts",
    'case "malformed":\n        return nodeFault',
    'case "malformed":\n        if (this.#policy.kind === "strict") return nodeFault',
    "native-tests/std/resolve-tenant.test.ts",
  ],
  [
    "nodes: a service's rejection is a fault",
    "src/core/synapse.ts",
    "Promise.resolve(answer).catch(failed)",
    "answer",
    "native-tests/core/synapse.test.ts",
  ],
  [
    "nodes: exact integers",
    "src/std/math-node.ts",
    "return !(Number.isInteger(result) && Number.isSafeInteger(a) && Number.isSafeInteger(b));",
    "return true;",
    "native-tests/std/math-node.test.ts",
  ],
  [
    "nodes: division by zero on the Bus",
    "src/std/math-node.ts",
    'if (this.#operation === "div" && isZero(operand)) return nodeFault("DIVISION_BY_ZERO");',
    "",
    "native-tests/std/math-node.test.ts",
  ],
  [
    "nodes: merging and prototypes",
    "src/std/merge-node.ts",
    ".filter(([key]) => !TO_A_PROTOTYPE.has(key))",
    "",
    "native-tests/std/merge-node.test.ts",
  ],
  [
    "nodes: depth of merging",
    "src/std/merge-node.ts",
    "if (levels === 0) return undefined;",
    "",
    "native-tests/std/merge-node.test.ts",
  ],
  [
    "nodes: inherited fields",
    "src/std/checked-field.ts",
    " || !Object.hasOwn(input, field)",
    "",
    "native-tests/std/required-node.test.ts",
  ],
  [
    "nodes: controls in a log line",
    "src/std/log-line.ts",
    "const ACTIVE = /[\\u007f-\\u009f",
    "const ACTIVE = /[",
    "native-tests/std/log-node.test.ts",
  ],
  [
    "nodes: a delay is cancelled",
    "src/std/delay-node.ts",
    "setTimeout(ms, undefined, { signal })",
    "setTimeout(ms)",
    "native-tests/std/delay-node.test.ts",
  ],
  [
    "nodes: the bound of a queue",
    "src/std/queue-event-source.ts",
    "if (this.#events.size >= this.#capacity) {",
    "if (this.#events.size > this.#capacity) {",
    "native-tests/std/queue-event-source.test.ts",
  ],
  [
    "nodes: a reader that left",
    "src/std/queue-event-source.ts",
    "          this.#readers.delete(reader);\n          reader(END);",
    "          reader(END);",
    "native-tests/std/queue-event-source.test.ts",
  ],
];

const args = process.argv.slice(2);
if (args.includes("--help")) {
  console.log(
    `npm run mutate [-- WORD]\n\nBreaks each of ${MUTATIONS.length} lines in a copy and expects red.`,
  );
  process.exit(0);
}
const chosen = MUTATIONS.filter(([name]) => args.every((word) => name.includes(word)));
if (chosen.length === 0) {
  console.error(
    `No line whose name has '${args.join("' and '")}'. There are:\n${MUTATIONS.map(([name]) => `  ${name}`).join("\n")}`,
  );
  process.exit(2);
}

const outdated = chosen.filter(([, file, from]) => countOf(from, ".", file) !== 1);
if (outdated.length > 0) {
  const places = outdated.map(([name, file, from]) => `  ${name}: ${JSON.stringify(from)} in ${file}`);
  console.error(`These lines do not stand in the code once: mend this list\n${places.join("\n")}`);
  process.exit(1);
}

const survived = [];
const waiting = [...chosen];
let done = 0;
await Promise.all(Array.from({ length: Math.min(availableParallelism(), chosen.length) }, work));
if (survived.length > 0) console.error(`\nNobody noticed the loss of: ${survived.join(", ")}`);
process.exit(survived.length === 0 ? 0 : 1);

/** Takes one line after the other, in a copy of its own. */
async function work() {
  const copy = makeCopy();
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, file, from, to, tests] = next;
    replaceIn(copy, file, from, to);
    const { passed } = await runIn(copy, `node scripts/test.mjs ${tests}`);
    done += 1;
    console.log(`${String(done).padStart(2)}/${chosen.length}  ${passed ? "SURVIVED" : "noticed "}  ${name}`);
    if (passed) survived.push(name);
    restore(copy);
  }
}
