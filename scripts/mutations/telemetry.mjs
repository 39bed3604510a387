// Lines of logs and traces. mutate.mjs says what a row is.

const TRACEPARENT = "native-tests/telemetry/traceparent.test.ts";
const TRACESTATE = "native-tests/telemetry/tracestate.test.ts";
const LINE_OUTPUT = "native-tests/telemetry/line-output.test.ts";
const LOGGER = "native-tests/telemetry/logger.test.ts";
const LINES = "native-tests/telemetry/line-output.test.ts";

export default [
  [
    "log: gathered lines of several processes do not mix",
    "src/telemetry/line-output.ts",
    "if (bytes.length <= PIPE_BYTES) this.#write(bytes);",
    "if (bytes.length > 0) this.#write(bytes);",
    LINE_OUTPUT,
  ],
  [
    "log: json that is not all ASCII",
    "src/telemetry/line-format.ts",
    "Buffer.byteLength(lines) === lines.length &&",
    "",
    "native-tests/telemetry/access-lines.test.ts",
  ],
  [
    "log: json with DEL",
    "src/telemetry/line-format.ts",
    '!lines.includes("\\u007f") &&',
    "",
    "native-tests/telemetry/access-lines.test.ts",
  ],
  [
    "log: gathered lines stand before what is written after them",
    "src/telemetry/line-output.ts",
    "    this.#writeGathered();\n    this.#write(Buffer",
    "    this.#write(Buffer",
    LINE_OUTPUT,
  ],
  [
    "log: each gathered line has its own format",
    "src/telemetry/line-output.ts",
    "format !== this.#format || ",
    "",
    LINE_OUTPUT,
  ],
  [
    "log: a line that is broken among gathered ones",
    "src/telemetry/line-format.ts",
    " &&\n  lineFeedsIn(lines) === count;",
    ";",
    "native-tests/telemetry/access-lines.test.ts",
  ],
  [
    "log: gathered lines are flushed",
    "src/telemetry/line-output.ts",
    "    this.#writeGathered();\n    for",
    "    for",
    LINE_OUTPUT,
  ],
  [
    "trace: version 00 has nothing behind its flags",
    "src/telemetry/traceparent.ts",
    'if (version === "00" && rest !== undefined) return undefined;',
    "",
    TRACEPARENT,
  ],
  [
    "trace: zeroes are no id",
    "src/telemetry/traceparent.ts",
    "if (isZero(traceId) || isZero(spanId)) return undefined;",
    "",
    TRACEPARENT,
  ],
  [
    "trace: two members with one key",
    "src/telemetry/tracestate.ts",
    'keys.size < members.length ? "" : ',
    "",
    TRACESTATE,
  ],
  [
    "trace: long members go first",
    "src/telemetry/tracestate.ts",
    "member.length > LONG_MEMBER",
    "false",
    TRACESTATE,
  ],
  [
    "log: fields forge nothing",
    "src/telemetry/logger.ts",
    "if (forged.length === 0) return given;",
    "return given;",
    LOGGER,
  ],
  [
    "log: no control characters",
    "src/telemetry/line-format.ts",
    "`${visible(line.slice(0, -1))}\\n`",
    "line",
    LOGGER,
  ],
  [
    "log: cycles",
    "src/telemetry/plain-value.ts",
    'if (this.#path.includes(value)) return "[circular]";',
    "",
    LOGGER,
  ],
  [
    "log: bound of what is kept",
    "src/telemetry/line-output.ts",
    "this.#keptBytes + bytes.length <= this.#maxBytes",
    "true",
    LINES,
  ],
  [
    "log: nobody waits",
    "src/telemetry/line-output.ts",
    'if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;',
    "",
    LINES,
  ],
];
