import type { Command } from "./terminal/command.js";

const WHERE = `URL is that of an audit log: sqlite:PATH, postgres://..., file:FOLDER of a file sink, or
archive:FILE of an archive. Without one it is audit.url of the configuration, or persistence.url.
`;

const FROM = { url: { type: "string" }, file: { type: "string" } } as const;
const FILTER: Command["options"] = {
  ...{ actor: { type: "string" }, action: { type: "string" }, target: { type: "string" } },
  ...{ since: { type: "string" }, until: { type: "string" } },
};
const FILTER_HELP = `  --actor TEXT    only events of this actor
  --action TEXT   only this action
  --target TEXT   only events that this was done to
  --since TIME    only from this time on: 2026-01-31, or 2026-01-31T12:00:00Z
  --until TIME    only before this time
`;
const FROM_HELP = `  --url URL       the audit log
  --file FILE     this configuration, instead of the nearest framework.toml upwards
`;

/** Commands are loaded on demand. */
const run =
  (name: keyof typeof import("./commands/audit.js")): Command["run"] =>
  async (given, surroundings) =>
    (await import("./commands/audit.js"))[name](given, surroundings);

export const auditCommands: readonly Command[] = [
  {
    name: "audit verify",
    summary: "whether an audit log is as it was written, and where it is not",
    help: `framework audit verify [--url URL] [--key FILE] [--anchor PLACE] [--origin NAME] [--from N] [--chain-only] [--json]

Reads the whole log and finds every edit, removal, insertion, swap, cut and fork up to the
newest anchored checkpoint, and prints where. Prints the time of that checkpoint and how many
events lie behind it: those are not protected yet.

${WHERE}
  framework audit verify --key audit.pem.pub
  framework audit verify --url archive:2025.jsonl --key audit.pem.pub

Exits with 0 where the log is sound, 1 where it is not or is unsigned, 2 where it cannot be read.

${FROM_HELP}  --key FILE      PEM file of the public keys that are trusted
  --origin NAME   name of the log in its checkpoints; none for a log without a name
  --anchor PLACE  a file, an http:// or https:// URL, or the URL of another database;
                  default: audit.anchor of the configuration
  --from N        begins at the checkpoint that covers the event at position N
  --chain-only    looks at no signature: finds only changes that do not compute hashes anew
  --json          for programs
`,
    options: {
      ...FROM,
      ...{ key: { type: "string" }, anchor: { type: "string" }, from: { type: "string" } },
      origin: { type: "string" },
      ...{ "chain-only": { type: "boolean" }, json: { type: "boolean" } },
    },
    operands: 0,
    run: run("auditVerify"),
  },
  {
    name: "audit prove",
    summary: "a proof that an event is in the log",
    help: `framework audit prove ID [--url URL]

Prints a proof as JSON. With the public key alone, and without this log, anybody can check it:
framework audit verify-proof, or the program in docs/audit.md.

${WHERE}
  framework audit prove 3f0c --url sqlite:app.db > proof.json

Exits with 0, 1 where there is no such event or no checkpoint covers it yet, 2 where the log
cannot be read.

${FROM_HELP}`,
    options: FROM,
    operands: 1,
    run: run("auditProve"),
  },
  {
    name: "audit verify-proof",
    summary: "whether a proof is good",
    help: `framework audit verify-proof FILE --key FILE [--origin NAME]

  framework audit verify-proof proof.json --key audit.pem.pub

Exits with 0 where the event of the proof was in a log signed by this key, 1 where not, 2
where a file cannot be read.

  --key FILE      PEM file of public keys
  --origin NAME   name of the log that the proof must be of
`,
    options: { key: { type: "string" }, origin: { type: "string" } },
    operands: 1,
    run: run("auditVerifyProof"),
  },
  {
    name: "audit query",
    summary: "events of an audit log",
    help: `framework audit query [--url URL] [--actor TEXT] [...] [--limit N] [--newest-first] [--json]

Prints a line for each event: position, time, actor, action, target, intent.

  framework audit query --actor alice --since 2026-01-31 --newest-first

${WHERE}
${FROM_HELP}${FILTER_HELP}  --limit N       maximum number of events, 100 by default
  --newest-first  the newest events
  --json          a JSON object a line, with the metadata
`,
    options: {
      ...FROM,
      ...FILTER,
      limit: { type: "string" },
      "newest-first": { type: "boolean" },
      json: { type: "boolean" },
    },
    operands: 0,
    run: run("auditQuery"),
  },
  {
    name: "audit export",
    summary: "an audit log as JSON lines",
    help: `framework audit export [--url URL] [--actor TEXT] [...] > FILE

Prints each event as a line {"event": ..., "position": N}.

  framework audit export --since 2026-01-01 > audit.jsonl

${WHERE}
${FROM_HELP}${FILTER_HELP}`,
    options: { ...FROM, ...FILTER },
    operands: 0,
    run: run("auditExport"),
  },
  {
    name: "audit retain",
    summary: "moves old events to an archive",
    help: `framework audit retain --before TIME --to FILE [--url URL] [--signing-key FILE]

Writes the events of all checkpoints that were signed before TIME to a new archive, signs that
they are archived, and deletes them. The log verifies as before, and so does the archive:
framework audit verify --url archive:FILE --key FILE.

  framework audit retain --before 2026-01-01 --to 2025.jsonl

${WHERE}
${FROM_HELP}  --before TIME   2026-01-31, or 2026-01-31T12:00:00Z
  --to FILE       the archive; must not exist
  --signing-key FILE   default: audit.signing_key_file of the configuration
  --previous-key FILE  the private key that signed before, after a change of keys
`,
    options: {
      ...FROM,
      ...{ before: { type: "string" }, to: { type: "string" } },
      ...{ "signing-key": { type: "string" }, "previous-key": { type: "string" } },
    },
    operands: 0,
    run: run("auditRetain"),
  },
  {
    name: "audit keygen",
    summary: "a key that signs checkpoints",
    help: `framework audit keygen FILE

Writes a new Ed25519 key to FILE, readable by its owner only, and its public key to FILE.pub.
Overwrites nothing. Set audit.signing_key_file, or FRAMEWORK_AUDIT_SIGNING_KEY_FILE, to FILE.

  framework audit keygen /etc/shop/audit.pem
`,
    options: {},
    operands: 1,
    run: run("auditKeygen"),
  },
];
