// Lines of the fuzzer. mutate.mjs says what a row is.

const FUZZ = "native-tests/fuzz";
const CLI = "native-tests/cli/commands/fuzz.test.ts";

export default [
  [
    "fuzz: the seed decides (FZ1)",
    "src/fuzz/request-generator.ts",
    "const choice = seeded(hash(`${seed} ${this.#route.row} ${index}`));",
    "const choice = seeded(hash(`${this.#route.row} ${index}`));",
    FUZZ,
  ],
  [
    "fuzz: a failure of another kind is not the same (FZ2)",
    "src/fuzz/fuzz.ts",
    ".find((violation) => violation.key === key)",
    "[0]",
    FUZZ,
  ],
  [
    "fuzz: a 500 is none that every route declares",
    "src/fuzz/declared-answers.ts",
    'if (code === "INTERNAL_ERROR" || Object.hasOwn(faultCodes, code)) return false;',
    'if (code === "INTERNAL_ERROR" || Object.hasOwn(faultCodes, code)) return true;',
    FUZZ,
  ],
  [
    "fuzz: who is let in",
    "src/fuzz/violation.ts",
    "if (closed.length > 0 && isIn) {",
    "if (closed.length > 1 && isIn) {",
    FUZZ,
  ],
  [
    "fuzz: a body is compared with its schema",
    "src/fuzz/declared-answers.ts",
    "if (validator === undefined || validator.check(read.value)) return undefined;",
    "if (validator !== undefined || read.value !== undefined) return undefined;",
    FUZZ,
  ],
  [
    "fuzz: effects are refused",
    "src/fuzz/replay.ts",
    "if (effects.length === 0) return;",
    "if (effects.length >= 0) return;",
    FUZZ,
  ],
  [
    "fuzz: stores of guards count",
    "src/fuzz/effects.ts",
    "if (isStored(transition)) note(",
    "if (!isStored(transition)) note(",
    FUZZ,
  ],
  [
    "fuzz: requests that a failure needs stay",
    "src/fuzz/reduction.ts",
    "if (without.length < left.length && (await fails(without))) left = without;",
    "if (without.length < left.length) left = without;",
    FUZZ,
  ],
  [
    "fuzz: 2 where nothing was sent",
    "src/cli/commands/fuzz.ts",
    'if (error instanceof FrameworkError && error.code === "FUZZ_REFUSED")',
    "if (error instanceof CommandError)",
    CLI,
  ],
];
