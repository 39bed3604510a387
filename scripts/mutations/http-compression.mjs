// Lines of compression. mutate.mjs says what a row is.

const COMPRESSION = ["compressed-routes", "compressed-conditions", "compressed-streams"]
  .map((name) => `native-tests/http/answer/compression/${name}.test.ts`)
  .join(" ");
const COMPRESSING = "native-tests/http/answer/compression/compressing-exchange.test.ts";
const COMPRESSIBLE = "native-tests/http/answer/compression/compressible.test.ts";
const CODED_STREAM = "native-tests/http/answer/compression/coded-stream.test.ts";
const CODED_TAGS = "native-tests/http/answer/compression/coded-tags.test.ts";

export default [
  [
    "compression: what is sent as it is varies too",
    "src/http/answer/compression/answer-forms.ts",
    'this.#vary === "" ? this.#head : this.of(this.#head.lines);',
    "this.#head;",
    COMPRESSION,
  ],
  [
    "compression: a compressed answer has a tag of its own",
    "src/http/answer/compression/answer-forms.ts",
    "withCodedTag(this.#head.lines, coding)",
    "this.#head.lines",
    COMPRESSION,
  ],
  [
    "compression: a tag that a guard has written is one too",
    "src/http/answer/compression/compressing-exchange.ts",
    "      this.lines = withCodedTag(this.lines, coding);\n",
    "",
    COMPRESSING,
  ],
  [
    "compression: a weak tag is nobody's to change",
    "src/http/answer/compression/coded-tags.ts",
    '/(\\r\\netag: ")(',
    '/(\\r\\netag: (?:W\\/)?")(',
    CODED_TAGS,
  ],
  [
    "compression: a client may bring back the tag of what it got",
    "src/http/answer/compression/compressing-exchange.ts",
    "return new PlainTagsRequest(request);",
    "return request;",
    COMPRESSION,
  ],
  [
    "compression: a 304 has the tag that the client has",
    "src/http/answer/compression/compressing-exchange.ts",
    "if (mayHoldCodedTag(asked)) this.#asked = asked;",
    'if (mayHoldCodedTag(asked)) this.#asked = "";',
    COMPRESSION,
  ],
  [
    "compression: no-transform is obeyed",
    "src/http/answer/compression/answer-forms.ts",
    "UNCHANGEABLE.test(lines) || NO_TRANSFORM.test(lines)",
    "UNCHANGEABLE.test(lines)",
    COMPRESSIBLE,
  ],
  [
    "compression: while a thread compresses it nobody else answers",
    "src/http/answer/compression/compressing-exchange.ts",
    "    this.postpone();\n",
    "    this.wait();\n",
    COMPRESSING,
  ],
  [
    "compression: who has gone is not written to",
    "src/http/answer/compression/compressing-exchange.ts",
    'if (this.phase === "aborted") return;',
    "",
    COMPRESSING,
  ],
  [
    "compression: a thread reads a copy",
    "src/http/answer/compression/compressing-exchange.ts",
    'typeof body === "string" ? Buffer.from(body) : Buffer.from(body)',
    'typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length)',
    COMPRESSING,
  ],
  [
    "compression: a stream holds nothing back",
    "src/http/answer/compression/coded-stream.ts",
    "this.#coder.flush(this.#flush);",
    "this.#coder.flush;",
    CODED_STREAM,
  ],
  [
    "compression: a stream waits for its client",
    "src/http/answer/compression/coded-stream.ts",
    "if (!stream.write(piece) && !stream.isOver) coder.pause();",
    "stream.write(piece);",
    CODED_STREAM,
  ],
  [
    "compression: a stream is closed with its client",
    "src/http/answer/compression/coded-stream.ts",
    "    this.#coder.destroy();\n",
    "",
    CODED_STREAM,
  ],
  [
    "compression: a bounded number of wishes",
    "src/http/answer/compression/compression.ts",
    "this.#wishes.size < MAX_WISHES && acceptEncoding.length <= MAX_WISH_LENGTH",
    "acceptEncoding.length <= MAX_WISH_LENGTH",
    "native-tests/http/answer/compression/compression.test.ts",
  ],
  [
    "compression: a bounded number of streams",
    "src/http/answer/compression/encoder.ts",
    "if (this.streams >= this.#rules.maxStreams) return undefined;",
    "",
    COMPRESSION,
  ],
  [
    "compression: a bounded number at once",
    "src/http/answer/compression/encoder.ts",
    "return this.running >= this.#rules.maxConcurrent;",
    "return false;",
    COMPRESSING,
  ],
  [
    "compression: a place is given back",
    "src/http/answer/compression/encoder.ts",
    "      this.running -= 1;\n",
    "",
    COMPRESSING,
  ],
];
