import type { Command } from "./terminal/command.js";

/** Commands are loaded on demand. */
const run =
  (name: keyof typeof import("./commands/compliance.js")): Command["run"] =>
  async (given, surroundings) =>
    (await import("./commands/compliance.js"))[name](given, surroundings);

const runErasure =
  (name: keyof typeof import("./commands/erasure.js")): Command["run"] =>
  async (given, surroundings) =>
    (await import("./commands/erasure.js"))[name](given, surroundings);

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
  --json          for programs: the rest is on stderr
  --export NAME   the export that is the ingress
`,
    options: { policy: { type: "string" }, json: { type: "boolean" }, export: { type: "string" } },
    operands: 1,
    run: run("complianceCheck"),
  },
  {
    name: "compliance erase",
    summary: "erases the data of one person",
    help: `framework compliance erase [MODULE] --subject ID --reason TEXT --yes [--issuer ISS]

Erases runs, dead letters, sessions and kept responses of a person, has running hosts drop their
traces, and deletes the person's key of sealed audit events. With MODULE also what the erasure sinks
erase that it exports. Prints the profile and the database first. Without --yes it only counts.
Exits with 1 where something is left or failed, and where nothing was found but another issuer has
that subject: run it again with --id, which erases the rest.

  framework compliance erase --subject ann --reason "request 17" --yes
  framework compliance erase dist/app.js --subject ann --issuer https://id.example --reason "request 17" --yes

  --subject ID    the person, as its identity or withSubject names it
  --issuer ISS    the issuer of that identity
  --reason TEXT   for the audit log: no personal data
  --id ID         of the request, to go on with it; default: a new one
  --cancel-runs   cancels unfinished runs first; without it they are reported and stay
  --compact       frees the space, so that the files do not have the deleted rows
  --yes           erases
  --file FILE     framework.toml
  --json          for programs: the rest is on stderr
  --export NAME   the export of MODULE that is the ingress
`,
    options: {
      ...{ subject: { type: "string" }, issuer: { type: "string" }, reason: { type: "string" } },
      ...{ id: { type: "string" }, "cancel-runs": { type: "boolean" }, compact: { type: "boolean" } },
      ...{ yes: { type: "boolean" }, file: { type: "string" }, json: { type: "boolean" } },
      export: { type: "string" },
    },
    operands: 1,
    run: runErasure("complianceErase"),
  },
  {
    name: "compliance export",
    summary: "writes the data of one person to a file",
    help: `framework compliance export [MODULE] --subject ID --to FILE [--issuer ISS]

Writes what "compliance erase" would erase to a new file that its owner alone can read: a line of
JSON each, { sink, place, id, value }, decrypted.

  framework compliance export --subject ann --to ann.jsonl

  --subject ID    the person, as its identity or withSubject names it
  --issuer ISS    the issuer of that identity
  --to FILE       a new file
  --file FILE     framework.toml
  --export NAME   the export of MODULE that is the ingress
`,
    options: {
      ...{ subject: { type: "string" }, issuer: { type: "string" }, to: { type: "string" } },
      ...{ file: { type: "string" }, export: { type: "string" } },
    },
    operands: 1,
    run: runErasure("complianceExport"),
  },
];
