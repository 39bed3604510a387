// Lines of multipart bodies. mutate.mjs says what a row is.

const MULTIPART = "native-tests/http/input/multipart";

export default [
  [
    "multipart: cut short",
    "src/http/input/multipart/parser.ts",
    "if (this.#step !== this.#over) return CUT_SHORT;",
    "",
    MULTIPART,
  ],
  [
    "multipart: behind the last boundary",
    "src/http/input/multipart/parser.ts",
    'CRLF.startsWith(bytes.toString("latin1", at, at + 3)) ? NEEDS_MORE : EPILOGUE',
    "NEEDS_MORE",
    MULTIPART,
  ],
  [
    "multipart: a boundary cut in two",
    "src/http/input/multipart/parser.ts",
    "bytes.length - this.#delimiter.length + 1",
    "bytes.length",
    MULTIPART,
  ],
  [
    "multipart: a boundary behind a line feed",
    "src/http/input/multipart/parser.ts",
    "if (line === at || (line > at && bytes[line - 1] !== CR)) return OUT_OF_PLACE;",
    "",
    MULTIPART,
  ],
  [
    "multipart: a boundary behind a carriage return",
    "src/http/input/multipart/parser.ts",
    ".includes(this.#afterCr)) return OUT_OF_PLACE;",
    ".includes(this.#afterCr)) {}",
    MULTIPART,
  ],
  [
    "multipart: an empty parameter",
    "src/http/input/multipart/part-head.ts",
    'parameters === undefined || EMPTY_PARAMETER.test(rest.replace(QUOTED, ""))',
    "parameters === undefined",
    MULTIPART,
  ],
  [
    "multipart: a boundary among headers",
    "src/http/input/multipart/parser.ts",
    "if (bytes.subarray(at, firstLine).includes(this.#delimiter)) return OUT_OF_PLACE;",
    "",
    MULTIPART,
  ],
  [
    "multipart: a head of just the limit, cut at its end",
    "src/http/input/multipart/parser.ts",
    "bytes.length - HEAD_END.length + 1",
    "bytes.length",
    MULTIPART,
  ],
  [
    "multipart: filename* alone",
    "src/http/input/multipart/part-head.ts",
    "return EXTENDED_ALONE;",
    "{}",
    MULTIPART,
  ],
  ["multipart: headers twice", "src/http/input/multipart/part-head.ts", "return DUPLICATE;", "{}", MULTIPART],
  [
    "multipart: file size",
    "src/http/input/multipart/reader.ts",
    "if (this.#size > this.#limits.maxFileSize)",
    "if (false)",
    MULTIPART,
  ],
  [
    "multipart: files are removed",
    "src/http/input/multipart/reader.ts",
    "this.#whenReleased(() => file.discard());",
    "",
    MULTIPART,
  ],
  [
    "multipart: a client that leaves while its file is opened",
    "src/http/input/multipart/disk-file.ts",
    "if (this.#isGone) await this.#remove();",
    "",
    "native-tests/http/input/multipart/disk-file.test.ts",
  ],
  [
    "multipart: names are not paths",
    "src/http/input/multipart/uploaded-file.ts",
    '.split(/[/\\\\]/).at(-1) ?? ""',
    "",
    MULTIPART,
  ],
];
