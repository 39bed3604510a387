import type { Command } from "./terminal/command.js";

const SOURCES = `BASE and HEAD are each an export, a module as for framework schematic export, or a commit of git,
which means the export that is committed in it: schematics.json of this folder, or --file.
`;

const FROM: Command["options"] = { file: { type: "string" }, export: { type: "string" } };
const FROM_HELP = `  --file PATH     the path of the committed export; default schematics.json
  --export NAME   of a module the export that is the ingress
`;

/** Commands are loaded on demand. */
const run =
  (name: keyof typeof import("./commands/schematic.js")): Command["run"] =>
  async (given, surroundings) =>
    (await import("./commands/schematic.js"))[name](given, surroundings);

export const schematicCommands: readonly Command[] = [
  {
    name: "schematic export",
    summary: "the Schematics of all Axons of a program, to commit",
    help: `framework schematic export MODULE [--out FILE] [--locations] [--export NAME]

Imports the application's module, as framework routes does, and prints the Schematic of each
mounted Axon with its guards, layers, policies and limits, and of each Axon that the module
exports. The same program gives the same bytes.

  framework schematic export dist/app.js --out schematics.json

  --out FILE      writes this file
  --locations     with file and line of each step, which change more often than the structure
  --export NAME   the export that is the ingress
`,
    options: { out: { type: "string" }, locations: { type: "boolean" }, export: { type: "string" } },
    operands: 1,
    run: run("schematicExport"),
  },
  {
    name: "schematic diff",
    summary: "what changed in a program's Schematics",
    help: `framework schematic diff BASE HEAD [--json | --markdown] [--file PATH] [--export NAME]

Prints a line for each change: routes, steps, edges, guards, policies, schemas (narrowed or
widened), limits, keys of the Bus, retries, persistence. Exits with 1 where something changed.

  framework schematic diff main schematics.json
  framework schematic diff v1.2.0 src/app.ts --markdown

${SOURCES}
  --json          for programs
  --markdown      for a pull request
${FROM_HELP}`,
    options: { ...FROM, json: { type: "boolean" }, markdown: { type: "boolean" } },
    operands: 2,
    run: run("schematicDiff"),
  },
  {
    name: "schematic check",
    summary: "which changes of a program's Schematics a policy denies",
    help: `framework schematic check --policy FILE BASE HEAD [--json] [--file PATH] [--export NAME]

Prints a line with file and line for each change that the policy denies, and exits with 1
where it denies one. docs/schematic.md has the rules. Locations are those of HEAD: of a module
the sources, of an export without locations its own lines.

  framework schematic check --policy policy.toml main src/app.ts

${SOURCES}
  --policy FILE   TOML: deny = ["guard_removal"], and [[allow]] tables with a reason and a last day
  --json          for programs
${FROM_HELP}`,
    options: { ...FROM, policy: { type: "string" }, json: { type: "boolean" } },
    operands: 2,
    run: run("schematicCheck"),
  },
];
