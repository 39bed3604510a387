import type { Command } from "./terminal/command.js";

export const replayCommands: readonly Command[] = [
  {
    name: "replay",
    summary: "whether an application's code comes to what a stored run came to",
    help: `framework replay RUN MODULE [--set KEY=JSON] [--json] [--file FILE] [--export NAME]
framework replay --sample N FILE MODULE [--set KEY=JSON] [--json] [--export NAME]

Runs the Axon of this module over the log of a stored run, and prints the first difference: the
node, the pointer to the value, the value in the log and the one that comes of the code now. Pure
steps run; steps that are declared as effects, use a resource, a Synapse or a thread give back
their stored outcome. While a step runs, the process refuses sockets, child processes and writes.
Values are masked by name, by the marks of schemas and by class. docs/replay.md has the rules.

With --sample the runs are those of a file that framework runs export wrote: N of them, evenly
spread. Nothing is asked of a store: for CI, before an Axon is changed.

  framework replay 3f0c src/app.ts
  framework replay 3f0c dist/app.js --set Rate=1.2 --json
  framework runs export dist/app.js --axon orders --to orders.jsonl
  framework replay --sample 100 orders.jsonl src/app.ts

Exits with 0 where all came to the same, 1 where one did not or could not be replayed, 2 where
the store or the file cannot be read. MODULE as for framework routes.

  --sample N       N runs of FILE
  --set KEY=JSON   the value of a Bus key that the log has not; may be repeated
  --json           for programs: the rest is on stderr
  --file FILE      this configuration, instead of the nearest framework.toml upwards
  --export NAME    the export that is the ingress
`,
    options: {
      sample: { type: "string" },
      set: { type: "string", multiple: true },
      ...{ json: { type: "boolean" }, file: { type: "string" }, export: { type: "string" } },
    },
    operands: 2,
    run: async (given, surroundings) =>
      (await import("./commands/runs/replay.js")).replay(given, surroundings),
  },
];
