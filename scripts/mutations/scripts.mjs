// Lines of the scripts that run the tests. mutate.mjs says what a row is.

const SECOND_TRY = "native-tests/scripts/second-try.test.ts";

export default [
  [
    "tests: a second try is for few files",
    "scripts/test.mjs",
    "first.files.length > MAX_RETRIED",
    "false",
    SECOND_TRY,
  ],
  [
    "tests: a second try does not make up for what is skipped",
    "scripts/test.mjs",
    "return isSkipped ? 1 : code;",
    "return code;",
    SECOND_TRY,
  ],
  [
    "tests: what fails twice fails",
    "scripts/test.mjs",
    "return second.code === 0 ? 0 : failure(second);",
    "failure(second);\n  return 0;",
    SECOND_TRY,
  ],
];
