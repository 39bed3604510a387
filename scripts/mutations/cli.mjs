// Lines of the command line. mutate.mjs says what a row is.

const CLI = "native-tests/cli";

export default [
  [
    "cli: 2 for a wrong command line",
    "src/cli/command-line.ts",
    "return error instanceof CommandError ? 2 : 1;",
    "return 1;",
    CLI,
  ],
  [
    "cli: no control characters",
    "src/cli/command-line.ts",
    "`there is no ${kind} '${visible(word)}'; ${remedy}`",
    "`there is no ${kind} '${word}'; ${remedy}`",
    CLI,
  ],
  [
    "cli: ends though something is open",
    "src/cli/main.ts",
    'process.stdout.write("", () => process.exit(code));',
    "process.exitCode = code;",
    CLI,
  ],
];
