import type { Command } from "./terminal/command.js";

export const devCommands: readonly Command[] = [
  {
    name: "dev",
    summary: "runs a program, and starts it again after each save",
    help: `framework dev FILE [-- ARGUMENT...]

Runs the file, which calls run(), and starts it again when a file that it has loaded is saved,
or the framework.toml of the working directory. FRAMEWORK_PROFILE is dev unless it is set.

The previous process stops, for half a second at most, before the next one loads the program.
After an error the next save starts the program again. Nothing is cleared from the screen.
The Inspector keeps its token in .framework/inspector-token, so that a page stays signed in.

Ctrl+C ends the program and this command; a second one kills the program.

TypeScript is read by the tsx that is installed beside the file: npm install --save-dev tsx

Exits with 0 after Ctrl+C, 2 where the file cannot be run.

  framework dev src/main.ts
  framework dev src/main.ts -- --port 8080
`,
    options: {},
    operands: Number.POSITIVE_INFINITY,
    run: async (given, surroundings) => (await import("./commands/dev.js")).dev(given, surroundings),
  },
];
