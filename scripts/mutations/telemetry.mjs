// Lines of logs and traces. mutate.mjs says what a row is.

const TRACEPARENT = "native-tests/telemetry/tracing/traceparent.test.ts";
const TRACESTATE = "native-tests/telemetry/tracing/tracestate.test.ts";
const LINE_OUTPUT = "native-tests/telemetry/logging/line-output.test.ts";
const LOGGER = "native-tests/telemetry/logging/logger.test.ts";
const LINES = "native-tests/telemetry/logging/line-output.test.ts";

export default [
  [
    "log: gathered lines of several processes do not mix",
    "src/telemetry/logging/line-output.ts",
    "if (bytes.length <= PIPE_BYTES) this.#write(bytes);",
    "if (bytes.length > 0) this.#write(bytes);",
    LINE_OUTPUT,
  ],
  [
    "log: json that is not all ASCII",
    "src/telemetry/logging/line-format.ts",
    "Buffer.byteLength(lines) === lines.length &&",
    "",
    "native-tests/telemetry/logging/access-lines.test.ts",
  ],
  [
    "log: json with DEL",
    "src/telemetry/logging/line-format.ts",
    '!lines.includes("\\u007f") &&',
    "",
    "native-tests/telemetry/logging/access-lines.test.ts",
  ],
  [
    "log: gathered lines stand before what is written after them",
    "src/telemetry/logging/line-output.ts",
    "    this.#writeGathered();\n    this.#write(Buffer",
    "    this.#write(Buffer",
    LINE_OUTPUT,
  ],
  [
    "log: each gathered line has its own format",
    "src/telemetry/logging/line-output.ts",
    "format !== this.#format || ",
    "",
    LINE_OUTPUT,
  ],
  [
    "log: a line that is broken among gathered ones",
    "src/telemetry/logging/line-format.ts",
    " &&\n  lineFeedsIn(lines) === count;",
    ";",
    "native-tests/telemetry/logging/access-lines.test.ts",
  ],
  [
    "log: gathered lines are flushed",
    "src/telemetry/logging/line-output.ts",
    "    this.#writeGathered();\n    for",
    "    for",
    LINE_OUTPUT,
  ],
  [
    "trace: version 00 has nothing behind its flags",
    "src/telemetry/tracing/traceparent.ts",
    'if (version === "00" && rest !== undefined) return undefined;',
    "",
    TRACEPARENT,
  ],
  [
    "trace: zeroes are no id",
    "src/telemetry/tracing/traceparent.ts",
    "if (isZero(traceId) || isZero(spanId)) return undefined;",
    "",
    TRACEPARENT,
  ],
  [
    "trace: two members with one key",
    "src/telemetry/tracing/tracestate.ts",
    'keys.size < members.length ? "" : ',
    "",
    TRACESTATE,
  ],
  [
    "trace: long members go first",
    "src/telemetry/tracing/tracestate.ts",
    "member.length > LONG_MEMBER",
    "false",
    TRACESTATE,
  ],
  [
    "log: fields forge nothing",
    "src/telemetry/logging/logger.ts",
    "if (forged.length === 0) return given;",
    "return given;",
    LOGGER,
  ],
  [
    "log: no control characters",
    "src/telemetry/logging/line-format.ts",
    "`${visible(line.slice(0, -1))}\\n`",
    "line",
    LOGGER,
  ],
  [
    "log: cycles",
    "src/telemetry/logging/plain-value.ts",
    'if (this.#path.includes(value)) return "[circular]";',
    "",
    LOGGER,
  ],
  [
    "log: bound of what is kept",
    "src/telemetry/logging/line-output.ts",
    "this.#keptBytes + bytes.length <= this.#maxBytes",
    "true",
    LINES,
  ],
  [
    "log: nobody waits",
    "src/telemetry/logging/line-output.ts",
    'if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;',
    "",
    LINES,
  ],
];
