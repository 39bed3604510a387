// Lines of the core. mutate.mjs says what a row is.

const EXECUTOR = "native-tests/runtime/executor.test.ts";
const INGRESS = "native-tests/http/ingress";
const COMPOSITION = ["guards", "layers", "composition", "disposal"]
  .map((name) => `native-tests/http/ingress/${name}.test.ts`)
  .join(" ");
const REPLY = "native-tests/core/bus/reply.test.ts";
const COPIES = "native-tests/core/two-copies.test.ts";
const WEBSOCKET = "native-tests/http/websocket";
const ROOMS = "native-tests/heavy/workers/worker-rooms.test.ts";
const CIDR = "native-tests/core/net/cidr-set.test.ts";
const ORIGINS = "native-tests/core/net/origin-rules.test.ts";
const CONDITIONAL = "native-tests/std/guards/conditional-request-guard.test.ts";
const HTTP_DATE = "native-tests/core/wire/http-date.test.ts";
const IAM = "native-tests/runtime/iam.test.ts";
const IAM_POLICY = "native-tests/core/iam/iam-policy.test.ts";
const ROUTE_IAM = `${INGRESS}/route-iam.test.ts`;

export default [
  [
    "conditional: If-Match compares strongly",
    "src/core/wire/preconditions.ts",
    "current, matchesStrongly",
    "current, matchesWeakly",
    CONDITIONAL,
  ],
  [
    "conditional: a malformed If-Match is refused",
    "src/core/wire/preconditions.ts",
    '    if (matches === undefined) return "malformed";\n',
    "",
    CONDITIONAL,
  ],
  [
    "conditional: If-Match goes before If-Unmodified-Since",
    "src/core/wire/preconditions.ts",
    "  } else if (ifUnmodifiedSince",
    "  } if (ifUnmodifiedSince",
    CONDITIONAL,
  ],
  [
    "http-date: a month has its days alone",
    "src/core/wire/http-date.ts",
    "  if (date.getUTCDate() !== Number(day)) return undefined;\n",
    "",
    HTTP_DATE,
  ],
  [
    "iam: the policy decides",
    "src/core/flow/iam-boundary.ts",
    "    if (error !== undefined) {\n      this.#counts.refused",
    "    if (error === null) {\n      this.#counts.refused",
    IAM,
  ],
  [
    "iam: an identity ends when it says",
    "src/core/flow/iam-boundary.ts",
    "!(this.#now() < expiresAt",
    "!(this.#now() <= expiresAt",
    IAM,
  ],
  [
    "iam: an answer that comes too late lets nobody in",
    "src/core/flow/iam-boundary.ts",
    "        isOver = true;\n",
    "",
    IAM,
  ],
  [
    "iam: a token is a text that can be one",
    "src/core/flow/iam-boundary.ts",
    '    if (NOT_VISIBLE.test(token)) return this.#refused(MALFORMED, "", input, bus);\n',
    "",
    IAM,
  ],
  [
    "iam: no error quotes the token",
    "src/core/flow/iam-boundary.ts",
    "    const shown = withoutToken(cause, token);",
    "    const shown = cause;",
    IAM,
  ],
  [
    "iam: a token is looked for wherever an error may hold it",
    "src/core/iam/without-token.ts",
    "        seen.add((value as Readonly<Record<string, unknown>>)[name]);\n",
    "",
    IAM,
  ],
  [
    "iam: a challenge names scopes alone",
    "src/core/iam/iam-error.ts",
    " || !SCOPES.test(this.scope)",
    "",
    "native-tests/core/iam/iam-error.test.ts",
  ],
  [
    "iam: no fault quotes the token",
    "src/core/flow/iam-boundary.ts",
    "const told = errorWithoutToken(error, token);",
    "const told = error;",
    IAM,
  ],
  [
    "iam: the skew of a verifier's clock holds at the boundary too",
    "src/core/flow/iam-boundary.ts",
    " + (this.verifier.clockSkewMs ?? 0)",
    "",
    "native-tests/identity/jwt/jwt-verifier.test.ts",
  ],
  [
    "iam: what a verifier remembers is frozen",
    "src/core/iam/owned-identity.ts",
    "  Object.freeze(whole);\n",
    "",
    IAM,
  ],
  [
    "iam: an issuer's subject is not another's",
    "src/core/iam/owned-identity.ts",
    "LIKE_A_PAIR.test(subject) ? `0::${subject}` : subject",
    "subject",
    ROUTE_IAM,
  ],
  [
    "iam: a verifier hears of its run's abort",
    "src/core/iam/iam-verifier.ts",
    '    else signal.addEventListener("abort", abort, { once: true, signal: controller.signal });\n',
    "",
    IAM,
  ],
  [
    "iam: one of several is as weak as its weakest",
    "src/core/iam/iam-rule.ts",
    "return a.parts.every((part) => implies(part, b));",
    "return a.parts.some((part) => implies(part, b));",
    IAM_POLICY,
  ],
  [
    "iam: all of several are as strong as each",
    "src/core/iam/iam-rule.ts",
    "return b.parts.every((part) => implies(a, part));",
    "return b.parts.some((part) => implies(a, part));",
    IAM_POLICY,
  ],
  [
    "composition: only true lets pass",
    "src/core/flow/layer.ts",
    "if (decision === true) return next();",
    "if (decision) return next();",
    COMPOSITION,
  ],
  [
    "composition: a guard lets nothing pass by mistake",
    "src/core/flow/guard.ts",
    "if (answer === asked || Object.is(answer, asked)) return input;",
    "return input;",
    COMPOSITION,
  ],
  [
    "ranges: those that overlap are one",
    "src/core/net/cidr-set.ts",
    "if (previous === undefined || compareWords(previous.last, range.first) < 0) kept.push(range);",
    "if (previous !== range) kept.push(range);",
    CIDR,
  ],
  [
    "ranges: the end of one",
    "src/core/net/cidr-set.ts",
    "WORDS, address) >= 0;",
    "WORDS, address) > 0;",
    CIDR,
  ],
  [
    "ranges: the end of one of IPv4",
    "src/core/net/cidr-set.ts",
    "(table[2 * low - 1] as number) >= word;",
    "(table[2 * low - 1] as number) > word;",
    CIDR,
  ],
  [
    "origins: a name below a pattern's ends in it",
    "src/core/net/origin-rules.ts",
    "origin.endsWith(suffix)",
    "origin.includes(suffix)",
    ORIGINS,
  ],
  [
    "origins: what is let in is an origin",
    "src/core/net/origin-rules.ts",
    " || !isOrigin(origin)",
    "",
    ORIGINS,
  ],
  [
    "origins: a promise is no consent",
    "src/core/net/origin-rules.ts",
    "return answer === true",
    "return !!answer",
    ORIGINS,
  ],
  [
    "origins: a promise that fails is taken",
    "src/core/net/origin-rules.ts",
    "Promise.resolve(answer).catch(() => {})",
    "void answer",
    ORIGINS,
  ],
  [
    "header check: value",
    "src/core/wire/header-syntax.ts",
    "const VALUE = /^[\\t\\x20-\\x7e]*$/;",
    "const VALUE = /^[^]*$/;",
    "native-tests/core/wire/header-syntax.test.ts",
  ],
  [
    "reply: no body where there can be none",
    "src/core/bus/reply.ts",
    "if (body !== undefined && BODILESS.has(status))",
    "if (Number.isNaN(status))",
    REPLY,
  ],
  [
    "reply: headers that are not for a step",
    "src/core/wire/header-syntax.ts",
    "if (why === undefined) return name;",
    "return name;",
    REPLY,
  ],
  ["reply: it cannot be changed", "src/core/bus/reply.ts", "    Object.freeze(this);\n", "", REPLY],
  [
    "reply: header values",
    "src/core/wire/header-syntax.ts",
    "  assertHeaderValue(name, value);\n",
    "",
    REPLY,
  ],
  [
    "executor: a Control is no promise",
    "src/core/bus/outcome.ts",
    'Object.defineProperty(ControlBase.prototype, "then", { value: Object.freeze({ kind: "not a promise" }) });',
    "",
    EXECUTOR,
  ],
  [
    "two copies: problems",
    "src/core/bus/problem-detail.ts",
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
    "nodes: a look-alike host",
    "src/core/facts/tenant.ts",
    "domain.endsWith(`.${baseDomain}`)",
    "domain.endsWith(baseDomain)",
    "native-tests/core/facts/tenant.test.ts",
  ],
  [
    "nodes: a look-alike letter",
    "src/core/facts/tenant.ts",
    "const domain = lowerCase(host)",
    "const domain = host.toLowerCase()",
    "native-tests/core/facts/tenant.test.ts",
  ],
  [
    "nodes: the length of a tenant's id",
    "src/core/facts/tenant.ts",
    "(?:[a-z0-9-]{0,61}[a-z0-9])?$/;",
    "(?:[a-z0-9-]*[a-z0-9])?$/;",
    "native-tests/core/facts/tenant.test.ts",
  ],
  [
    "nodes: a service's rejection is a fault",
    "src/core/flow/synapse.ts",
    "Promise.resolve(answer).catch(failed)",
    "answer",
    "native-tests/core/flow/synapse.test.ts",
  ],
  [
    "reports: what cannot be shown",
    "src/core/bus/reporter.ts",
    "  } catch {\n",
    '  } catch (again) {\n    if (String(again) !== "") throw again;\n',
    "native-tests/core/bus/reporter.test.ts",
  ],
  [
    "websocket: no room is a feed of events, whatever its name",
    "src/core/ports/room-topics.ts",
    "topic.startsWith(OWN_TOPICS) ? ROOMS + topic : topic",
    "topic",
    WEBSOCKET,
  ],
  [
    "rooms: a listener that throws is alone with it",
    "src/core/ports/room-listeners.ts",
    'this.lost("a listener threw", error);',
    "throw error;",
    ROOMS,
  ],
  [
    "addresses: no leading zeros",
    "src/core/net/ip-address.ts",
    "      if (at > begin && value === 0) return -1;\n",
    "",
    "native-tests/core/net/ip-address.test.ts",
  ],
];
