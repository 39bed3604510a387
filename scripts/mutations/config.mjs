// Lines of the configuration. mutate.mjs says what a row is.

const CONFIG = "native-tests/config";

export default [
  [
    "config: the last layer wins",
    "src/config/given.ts",
    "this.#values.set(key.path, { value, origin });",
    "if (!this.#values.has(key.path)) this.#values.set(key.path, { value, origin });",
    CONFIG,
  ],
  [
    "config: OpenTelemetry's variable comes after ours",
    "src/config/variable-layer.ts",
    "else takeOtel(key, env, given);",
    "takeOtel(key, env, given);",
    CONFIG,
  ],
  ["config: a wrong secret is not quoted", "src/config/given.ts", "if (!key.secret)", "if (true)", CONFIG],
  [
    "config: a syntax error quotes no line",
    "src/config/file-layer.ts",
    '.replace("Invalid TOML document: ", "").split("\\n");',
    '.replace("Invalid TOML document: ", "").split("\\0");',
    CONFIG,
  ],
  [
    "config: a password that ends the address",
    "src/core/wire/shown-url.ts",
    'if (url.replace(USER_INFO, "").includes("@")) return REDACTED;',
    "",
    CONFIG,
  ],
  [
    "config: sections that a prototype has",
    "src/config/file-layer.ts",
    "!Object.hasOwn(sections, section)",
    "!(section in sections)",
    CONFIG,
  ],
  [
    "config: names from outside and prototypes",
    "src/config/key.ts",
    "const made: Record<string, T> = Object.create(null);",
    "const made: Record<string, T> = {};",
    CONFIG,
  ],
  [
    "config: profiles that are not chosen",
    "src/config/file-layer.ts",
    "applyTable(file, path, table, undefined, given);",
    "",
    CONFIG,
  ],
  [
    "config: what is wrong contradicts nothing",
    "src/config/contradictions.ts",
    "given.isWrong(path) ? undefined : ",
    "",
    CONFIG,
  ],
  [
    "config: swapped letters",
    "src/core/nearest.ts",
    "if (swapped) least",
    "if (false) least",
    "native-tests/core/nearest.test.ts",
  ],
  [
    "config: quotes at the end of a long string",
    "src/config/toml-places.ts",
    '|"(?!""))*"{3,5}|',
    '|"(?!""))*"{3}|',
    "native-tests/config/toml-places.test.ts",
  ],
  [
    "config: comments hold no keys",
    "src/config/toml-places.ts",
    "(?:[ \\t\\r\\n]|#[^\\n]*)*",
    "(?:[ \\t\\r\\n]|# *)*",
    "native-tests/config/toml-places.test.ts",
  ],
  [
    "configuration: the stack begins at the program",
    "src/config/config.ts",
    "Error.captureStackTrace(error, asked);",
    "",
    "native-tests/config/newcomer.test.ts",
  ],
];
