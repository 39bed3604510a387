// Lines of requests to others. mutate.mjs says what a row is.

const OUTGOING = "native-tests/http/outgoing";

export default [
  [
    "client: a path cannot climb",
    "src/http/outgoing/target.ts",
    "!PATH.test(path) || climbs(path)",
    "!PATH.test(path)",
    OUTGOING,
  ],
  ["client: redirects are answers", "src/http/outgoing/http-client.ts", ', redirect: "manual"', "", OUTGOING],
  [
    "client: each call is a part of its own",
    "src/http/outgoing/http-client.ts",
    "{ ...trace, spanId: span?.spanId ?? traceIds.span() }",
    "trace",
    OUTGOING,
  ],
  [
    "client: no timer is left",
    "src/http/outgoing/http-client.ts",
    "const ended = this.#clock",
    "const ended = () => {};\n    this.#clock",
    OUTGOING,
  ],
  [
    "client: answers are bounded",
    "src/http/outgoing/http-client.ts",
    "if (bytes > maxBytes) {",
    "if (false) {",
    OUTGOING,
  ],
];
