const REDACTOR = "native-tests/schema/redactor.test.ts";
const ERRORS = "native-tests/schema/schema-errors.test.ts";
const LOGGER = "native-tests/telemetry/logger.test.ts";
const HIDDEN = "native-tests/http/ingress/hidden-fields.test.ts";
const STORE = "native-tests/inspector/traces/trace-store.test.ts";
const UNDER_LOAD = "native-tests/inspector/traces/kept-runs-under-load.test.ts";
const COLLECTOR =
  "native-tests/inspector/traces/trace-collector.test.ts native-tests/inspector/traces/trace-waterfall.test.ts";
const DIFF = "native-tests/inspector/traces/trace-diff.test.ts";

export default [
  [
    "redaction: what its schema marks is masked",
    "src/schema/redacted-copy.ts",
    "if (place?.isMarked === true) return this.#mask(value);",
    "if (place?.isMarked === null) return this.#mask(value);",
    REDACTOR,
  ],
  [
    "redaction: a name that is marked elsewhere hides where the schema says nothing",
    "src/schema/redacted-copy.ts",
    "inner === undefined && this.#names.has(name)",
    "inner === undefined && this.#names.has(`${name} `)",
    `${REDACTOR} ${COLLECTOR}`,
  ],
  [
    "redaction: of a union every variant marks",
    "src/schema/marked-places.ts",
    'const IN_PLACE = ["anyOf",',
    'const IN_PLACE = ["anyOther",',
    REDACTOR,
  ],
  [
    "redaction: a list whose items are marked hides under its name",
    "src/schema/marked-places.ts",
    'if (keyword !== "properties")',
    'if (keyword === "properties")',
    COLLECTOR,
  ],
  [
    "redaction: a getter is not run",
    "src/schema/own-parts.ts",
    'own !== undefined && "get" in own ? GETTER : own?.value',
    'own !== undefined && "get" in own ? own.get?.call(holder) : own?.value',
    REDACTOR,
  ],
  [
    "redaction: a proxy is not asked",
    "src/schema/own-parts.ts",
    'if (types.isProxy(value)) return word("[proxy]");',
    'if (value === undefined) return word("[proxy]");',
    REDACTOR,
  ],
  [
    "redaction: a member begins only where there is room for it",
    "src/schema/redacted-copy.ts",
    "return this.#values > 0 && this.#bytes >= bytes + LEAST;",
    "return this.#values > 0 && this.#bytes >= bytes;",
    REDACTOR,
  ],
  [
    "redaction: what was masked is found again under another name",
    "src/schema/redacted-copy.ts",
    "const read = this.#hidden?.masked(within) ?? within;",
    "const read = within;",
    COLLECTOR,
  ],
  [
    "redaction: a text that was cut shows no password of an address",
    "src/schema/credential-text.ts",
    "return isCut ? shown.replace(CUT_USER_INFO",
    "return !isCut ? shown.replace(CUT_USER_INFO",
    REDACTOR,
  ],
  [
    "redaction: looking for tokens takes time in proportion to a text",
    "src/schema/credential-text.ts",
    "/(?<![\\w-])(?=[\\w-]+\\.)([\\w-]*?)\\beyJ",
    "/()\\beyJ",
    "native-tests/schema/credential-text.test.ts",
  ],
  [
    "redaction: a quoted value ends at its own quote",
    "src/schema/credential-text.ts",
    "if (start === '\\\\\"') return QUOTED_TWICE;",
    'if (start === "") return QUOTED_TWICE;',
    REDACTOR,
  ],
  [
    "errors: below a mark no name is told",
    "src/schema/marked-errors.ts",
    "const pointer = steps.slice(0, depth).map((step) => `/${step}`);",
    "const pointer = steps.map((step) => `/${step}`);",
    ERRORS,
  ],
  [
    "log: a field that is named as a secret is not shown",
    "src/telemetry/plain-value.ts",
    "(this.#hidden.has(key) || isSensitiveName(key)) ? REDACTED : value",
    "this.#hidden.has(key) ? REDACTED : value",
    LOGGER,
  ],
  [
    "log: it is told of what the schemas of an ingress mark",
    "src/http/dispatcher.ts",
    "plan.log.hide(markedNames(plan));",
    "markedNames(plan);",
    HIDDEN,
  ],
  [
    "traces: the slowest of a circuit outlive newer ones",
    "src/inspector/traces/trace-shares.ts",
    "if ((traces[middle] as KeptTrace).durationUs < durationUs) to = middle;",
    "if ((traces[middle] as KeptTrace).durationUs > durationUs) to = middle;",
    STORE,
  ],
  [
    "traces: a flood of one cause pushes out its own kind",
    "src/inspector/traces/trace-shares.ts",
    "if (more.size > traces.size) [cause, traces] = [other, more];",
    "if (more.size < traces.size) [cause, traces] = [other, more];",
    STORE,
  ],
  [
    "traces: a run stays until no share holds it",
    "src/inspector/traces/trace-store.ts",
    "if (entry.shares > 0) return false;",
    "if (entry.shares > 1) return false;",
    STORE,
  ],
  [
    "traces: a slow run is kept, however many there are",
    "src/inspector/traces/trace-store.ts",
    "this.#newest.take(run.startedAt) || this.#slowest.wants(run)",
    "this.#newest.take(run.startedAt)",
    UNDER_LOAD,
  ],
  [
    "traces: a run that somebody looks for is kept, however many there are",
    "src/inspector/traces/trace-collector.ts",
    " && !this.#isSought(run)) return;",
    ") return;",
    UNDER_LOAD,
  ],
  [
    "traces: one that is written again is nobody's any more",
    "src/inspector/traces/trace-collector.ts",
    "if (dropped instanceof RecordedTrace) this.#traces.giveBack(dropped);",
    "if (dropped instanceof RecordedTrace) this.#traces.giveBack(kept as RecordedTrace);",
    UNDER_LOAD,
  ],
  [
    "traces: a page begins behind the one before",
    "src/inspector/traces/trace-cursor.ts",
    ": one.seq > other.seq;",
    ": one.seq >= other.seq;",
    STORE,
  ],
  [
    "traces: the faults of a run name the node that failed, not one around it",
    "src/inspector/traces/visits.ts",
    'outer.includes(":layer/") || node.startsWith(`${outer}/`)',
    "node.startsWith(`${outer}/`)",
    COLLECTOR,
  ],
  [
    "traces: a parameter that is named as a secret is not shown in the path",
    "src/schema/shown-path.ts",
    "/^[:*]/.test(segment) && isSensitiveName(segment.slice(1))",
    "/^[*]/.test(segment) && isSensitiveName(segment.slice(1))",
    COLLECTOR,
  ],
  [
    "traces: hashes depend on a key",
    "src/inspector/traces/payload-capture.ts",
    'createHmac("sha256", this.#key)',
    'createHmac("sha256", "")',
    "native-tests/inspector/traces/payload-capture.test.ts",
  ],
  [
    "traces: two runs part at the first difference",
    "src/inspector/traces/trace-diff.ts",
    "parted ??= { at, ...difference };",
    "parted = { at, ...difference };",
    DIFF,
  ],
];
