// Lines of static files. mutate.mjs says what a row is.

const ROOT_FOLDER = "native-tests/http/static/root-folder.test.ts";
const SERVABLE = "native-tests/http/static/servable-path.test.ts";
const SERVED_FOLDER = "native-tests/http/static/served-folder.test.ts";
const BYTE_RANGES = "native-tests/http/static/byte-ranges.test.ts";
const FILE_CONDITIONS = "native-tests/http/static/file-conditions.test.ts";
const STATIC_WIRE = "native-tests/wire/static.test.ts";

export default [
  [
    "files: what is opened lies below the root",
    "src/http/static/root-folder.ts",
    "return (await readlink(`/proc/self/fd/${fd}`)).startsWith(this.#below);",
    "return true;",
    ROOT_FOLDER,
  ],
  [
    "files: an answer that ends a session is kept by nobody",
    "src/http/static/file-answers.ts",
    'exchange.lines.includes(KEPT) ? lines.replace(KEPT_LINE, "") : lines;',
    "lines;",
    "native-tests/http/static/kept-files.test.ts",
  ],
  [
    "files: nothing but a regular file is opened",
    "src/http/static/root-folder.ts",
    "if (before === undefined || !before.isFile()) return undefined;",
    "if (before === undefined) return undefined;",
    ROOT_FOLDER,
  ],
  [
    "files: the root ends where its name does",
    "src/http/static/root-folder.ts",
    "this.#below = this.path.endsWith(sep) ? this.path : this.path + sep;",
    "this.#below = this.path;",
    ROOT_FOLDER,
  ],
  [
    "files: no name begins with a dot",
    "src/http/static/media-type.ts",
    'segment !== "" && !segment.startsWith(".") &&',
    'segment !== "" &&',
    SERVABLE,
  ],
  [
    "files: names are those of every system",
    "src/http/static/media-type.ts",
    "!UNFIT.test(segment) && !DEVICE.test(segment)",
    "!UNFIT.test(segment)",
    SERVABLE,
  ],
  [
    "files: what is remembered grows old",
    "src/http/static/served-folder.ts",
    "return age >= 0 && age < this.#rules.maxAgeMs ? entry : undefined;",
    "return entry;",
    SERVED_FOLDER,
  ],
  [
    "files: a change within one tick is seen later",
    "src/http/static/file-variant.ts",
    "return this.isOf(stats) && this.#readAt - Math.max(stats.mtimeMs, stats.ctimeMs) >= TICK_MS;",
    "return this.isOf(stats);",
    SERVED_FOLDER,
  ],
  [
    "files: memory has a bound in bytes",
    "src/http/static/file-cache.ts",
    "while (this.#entries.size >= maxFiles || this.bytes + bytes > maxBytes) this.#evict();",
    "while (this.#entries.size >= maxFiles) this.#evict();",
    "native-tests/http/static/file-cache.test.ts",
  ],
  [
    "files: a client that has gone leaves none open",
    "src/http/static/file-sender.ts",
    "stream.onOver = () => wake();",
    "stream.onOver = () => {};",
    STATIC_WIRE,
  ],
  [
    "files: what became shorter does not pass for whole",
    "src/http/static/file-sender.ts",
    "if (bytesRead === 0) stream.fail();",
    "",
    STATIC_WIRE,
  ],
  [
    "files: so many are open at once, and no more",
    "src/http/static/slots.ts",
    "this.#free -= 1;",
    "",
    STATIC_WIRE,
  ],
  [
    "files: of who waits and goes nothing is left",
    "src/http/static/slots.ts",
    "return () => this.#waiting.delete(turn);",
    "return nothing;",
    "native-tests/http/static/slots.test.ts",
  ],
  [
    "ranges: a malformed one makes the field count for nothing",
    "src/http/static/byte-ranges.ts",
    'if (range === "malformed") return "whole";',
    'if (range === "malformed") continue;',
    BYTE_RANGES,
  ],
  [
    "ranges: there are so many, and no more",
    "src/http/static/byte-ranges.ts",
    'if (given > MAX_RANGES) return "whole";',
    "",
    BYTE_RANGES,
  ],
  [
    "ranges: a part is of what the client has",
    "src/http/static/file-answers.ts",
    "if (asked.ifRange !== undefined && !isCurrent(asked.ifRange, this.#file, now)) return this.#whole;",
    "",
    FILE_CONDITIONS,
  ],
  [
    "files: caches are told that there is a choice",
    "src/http/static/file-answers.ts",
    '(varies ? headerLine("vary", "accept-encoding") : "")',
    '""',
    FILE_CONDITIONS,
  ],
  [
    "navigations: an API answers for itself",
    "src/http/static/navigations.ts",
    "return !this.#apiPrefixes.some((prefix) => prefix.every((segment, i) => segments[i] === segment));",
    "return true;",
    "native-tests/http/static/spa-fallback.test.ts",
  ],
  [
    "files: a turn is not waited for without end",
    "src/http/static/file-sender.ts",
    "      sendRefusal(exchange, hasTurn ? NOT_OPENED : NO_TURN);\n      exchange.abandon();\n",
    "",
    "native-tests/heavy/wire/file-turns.test.ts",
  ],
  [
    "files: what is being sent is not cut by the time of its turn",
    "src/http/static/file-sender.ts",
    ".finally(inTime)",
    "",
    "native-tests/heavy/wire/file-turns.test.ts",
  ],
];
