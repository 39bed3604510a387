// Lines of the scripts that run the tests. mutate.mjs says what a row is.

const SECOND_TRY = "native-tests/heavy/scripts/second-try.test.ts";

const COMMAND_LINE = "native-tests/heavy/scripts/command-line.test.ts";

const ROOMS = "native-tests/scripts/rooms.test.ts";

export default [
  [
    "scripts: what is wrong of a command line is no success",
    "scripts/command-line.mjs",
    "process.exit(2);",
    "process.exit(0);",
    COMMAND_LINE,
  ],
  [
    "scripts: a count is no fraction",
    "scripts/command-line.mjs",
    "Number.isSafeInteger(value)",
    "Number.isFinite(value)",
    COMMAND_LINE,
  ],
  [
    "tests: a second try is for few files",
    "scripts/test.mjs",
    "files.length > MAX_RETRIED",
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
    "return second.failed.length === 0 ? 0 : failure(second);",
    "failure(second);\n  return 0;",
    SECOND_TRY,
  ],
  [
    "rooms: what goes on from a module is imported",
    "scripts/rooms/specifiers.mjs",
    "...module.staticExports",
    "...[]",
    ROOMS,
  ],
  [
    "rooms: a type in its place is imported",
    "scripts/rooms/specifiers.mjs",
    "isLazy: lateTypes.has(node)",
    "isLazy: true",
    ROOMS,
  ],
  [
    "rooms: an import that waits makes no circle",
    "scripts/rooms/complaints.mjs",
    "imports.filter(({ isLazy }) => !isLazy)",
    "imports",
    ROOMS,
  ],
  ["rooms: a later room is refused", "scripts/rooms/complaints.mjs", "high <= low", "high > low", ROOMS],
  [
    "rooms: a folder that the order does not have is refused",
    "scripts/rooms/complaints.mjs",
    "room === undefined)",
    "false)",
    ROOMS,
  ],
];
