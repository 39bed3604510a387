import type { Command } from "./terminal/command.js";

export const runsCheckCommands: readonly Command[] = [
  {
    name: "runs check",
    summary: "which stored runs an application could resume",
    help: `framework runs check MODULE [--axon NAME] [--json] [--file FILE] [--export NAME]

Before a deploy: prints, for each Axon and version with unfinished runs, how many the Axons of this
module could resume, by which migration, and why not. Prints the profile and the store first. Only
reads: no run is resumed or marked, and tables of another version are not migrated. The functions
of migrations (mapInput) are called. docs/evolving-runs.md tells how to change an Axon.

  framework runs check dist/app.js
  framework runs check src/app.ts --axon orders --json

Exits with 0 where all could resume, 1 where some could not, 2 where the store could not be asked.
MODULE as for framework routes. Its stores, else those of the configuration.

  --axon NAME     only runs of this Axon
  --json          for programs: the rest is on stderr
  --file FILE     this configuration, instead of the nearest framework.toml upwards
  --export NAME   the export that is the ingress
`,
    options: {
      ...{ axon: { type: "string" }, json: { type: "boolean" } },
      ...{ file: { type: "string" }, export: { type: "string" } },
    },
    operands: 1,
    run: async (given, surroundings) =>
      (await import("./commands/runs/check.js")).runsCheck(given, surroundings),
  },
];
