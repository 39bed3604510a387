import type { Command } from "./terminal/command.js";

/** Commands are loaded on demand. */
const run =
  (name: keyof typeof import("./commands/compliance.js")): Command["run"] =>
  async (given, surroundings) =>
    (await import("./commands/compliance.js"))[name](given, surroundings);

export const complianceCommands: readonly Command[] = [
  {
    name: "compliance report",
    summary: "where marked data comes in, goes out, is kept and is sent",
    help: `framework compliance report MODULE [--format FORMAT] [--export NAME]

Imports the application's module, as framework routes does, and prints for each route and each
exported Axon which fields that Sensitive marks come in, go out, are kept in which store for
how long, are sent to which service or sink, and are in the access log and the audit log. Each
row has file, line, and whether a schema declares it, it is inferred, or unknown.

  framework compliance report src/app.ts
  framework compliance report dist/app.js --format markdown > record.md

  --format FORMAT   text, markdown or json; default text
  --export NAME     the export that is the ingress
`,
    options: { format: { type: "string" }, export: { type: "string" } },
    operands: 1,
    run: run("complianceReport"),
  },
  {
    name: "compliance check",
    summary: "what of an application's data a policy denies",
    help: `framework compliance check MODULE --policy FILE [--json] [--export NAME]

Prints a line with file, line and remedy for each thing in the record of processing that the
policy denies, and exits with 1 where it denies one. docs/compliance.md has the rules.

  framework compliance check src/app.ts --policy compliance.toml

  --policy FILE   TOML: deny = ["restricted_in_response"], and [[allow]] tables with a reason and a last day
  --json          for programs
  --export NAME   the export that is the ingress
`,
    options: { policy: { type: "string" }, json: { type: "boolean" }, export: { type: "string" } },
    operands: 1,
    run: run("complianceCheck"),
  },
];
