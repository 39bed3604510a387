import type { Command } from "./terminal/command.js";

/** Commands are loaded on demand. */
const run =
  (name: keyof typeof import("./runs/commands.js")): Command["run"] =>
  async (given, surroundings) =>
    (await import("./runs/commands.js"))[name](given, surroundings);

const FROM = { file: { type: "string" }, inspector: { type: "string" }, json: { type: "boolean" } } as const;
const FROM_HELP = `  --inspector URL   of a running server, in place of the store; its token is that of framework status
  --file FILE       framework.toml; the store is its persistence.url, or FRAMEWORK_PERSISTENCE_URL
  --json            for programs: the rest is on stderr
`;
const FILTER: Command["options"] = {
  ...{ axon: { type: "string" }, state: { type: "string" }, label: { type: "string" } },
  ...{ subject: { type: "string" }, since: { type: "string" }, until: { type: "string" } },
  limit: { type: "string" },
};
const FILTER_HELP = `  --axon NAME       only runs of this Axon
  --state STATE     running, waiting, sleeping, stuck, unfit, completed, failed or cancelled
  --label N:VALUE   only runs with this label: order:123
  --subject ID      only runs about this person
  --since TIME      only runs that began at 2026-01-31, or 2026-01-31T12:00:00Z, or later
  --until TIME      only runs that began before
`;
const ASK = { wait: { type: "boolean" }, timeout: { type: "string" } } as const;
const ASK_HELP = `  --wait            follows each until it ends, waits or is stuck: 1 if it failed
  --timeout S       seconds for a host to answer; default 30
`;
const EXITS = `Exits with 0 where all was done, 1 where one was refused, failed, is unknown, or no host answered
in its time, 2 where nothing was asked: a wrong command line, a missing --yes, no store.
`;
const MANY: Command["options"] = { ...FILTER, ...ASK, ...FROM, yes: { type: "boolean" } };

interface Acting {
  readonly kind: "resume" | "cancel" | "wake" | "forget";
  readonly summary: string;
  readonly text: string;
  readonly example: string;
}

const acting = ({ kind, summary, text, example }: Acting): Command => {
  const isCancel = kind === "cancel";
  return {
    name: `runs ${kind}`,
    summary,
    help: `framework runs ${kind} ID... ${isCancel ? "--reason TEXT " : ""}[--wait] | --axon NAME --state STATE ... --yes

${text}
A request in the store goes to its hosts: one carries it out, and records it as of
cli:USER@HOST (unverified). Several runs, or those of a filter, are counted first: --yes does it.

  framework runs ${kind} ${example}
  framework runs ${kind} --axon order --until 2026-01-31 ${isCancel ? '--reason "recall" ' : ""}--yes

${EXITS}
${isCancel ? "  --reason TEXT     for the run and the audit log\n" : ""}${FILTER_HELP}  --limit N         at most so many; default 1000
  --yes             does it for more than one
${ASK_HELP}${FROM_HELP}`,
    options: { ...MANY, ...(isCancel && { reason: { type: "string" } }) },
    operands: Number.POSITIVE_INFINITY,
    run: run(`runs${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as Parameters<typeof run>[0]),
  };
};

const LETTERS: Command["options"] = {
  ...{ axon: { type: "string" }, since: { type: "string" }, until: { type: "string" } },
  limit: { type: "string" },
};

const letters = (kind: "redrive" | "discard", summary: string, text: string): Command => ({
  name: `dlq ${kind}`,
  summary,
  help: `framework dlq ${kind} ID... | --axon NAME --yes

${text}
Goes to the hosts as framework runs resume does. Several letters are counted first: --yes does it.

  framework dlq ${kind} 5b0c7d0e-8a56-4f62-9f0b-3a6d43f3c1b2 ${kind === "redrive" ? "--wait" : "--yes"}
  framework dlq ${kind} --axon order --yes

${EXITS}
${kind === "discard" ? "  --reason TEXT     for the audit log\n" : ""}  --axon NAME       letters of this Axon, in place of ids
  --since TIME      with --axon: failures at this time or later
  --until TIME      with --axon: failures before
  --limit N         at most so many; default 1000
  --yes             does it
${kind === "redrive" ? ASK_HELP : "  --timeout S       seconds for a host to answer; default 30\n"}${FROM_HELP}`,
  options: {
    ...{ ...LETTERS, ...FROM, timeout: ASK.timeout, yes: { type: "boolean" } },
    ...(kind === "redrive" ? { wait: ASK.wait } : { reason: { type: "string" } }),
  },
  operands: Number.POSITIVE_INFINITY,
  run: run(kind === "redrive" ? "dlqRedrive" : "dlqDiscard"),
});

export const runsCommands: readonly Command[] = [
  {
    name: "runs list",
    summary: "kept runs in every state, the newest first",
    help: `framework runs list [--axon NAME] [--state STATE] [--label N:VALUE] [--limit N] [--cursor C]

Prints a line for each run: id, Axon, state, node, when it began, its last entry, what it waits for.

  framework runs list --state stuck
  framework runs list --axon order --label order:123 --json

Exits with 0, or 2 where the store or the Inspector cannot be asked.

${FILTER_HELP}  --limit N         from 1 to 500; default 100
  --cursor C        of the page before: the list goes on behind it
${FROM_HELP}`,
    options: { ...FILTER, ...FROM, cursor: { type: "string" } },
    operands: 0,
    run: run("runsList"),
  },
  {
    name: "runs show",
    summary: "one kept run: state, host, wait, values, history",
    help: `framework runs show ID

Prints where a run is, its host and whether it lives, what it waits for, signals that were not taken,
why it is unfit, its input and Bus values, and an event for each entry of its log. Values are
masked where a name is a secret's, or a name or a value is personal data.

  framework runs show 5b0c7d0e-8a56-4f62-9f0b-3a6d43f3c1b2

Exits with 0, 1 where there is no such run, 2 where the store or the Inspector cannot be asked.

${FROM_HELP}`,
    options: FROM,
    operands: 1,
    run: run("runsShow"),
  },
  acting({
    kind: "resume",
    summary: "resumes runs that were interrupted, or are stuck",
    text: "Resumes a run at its last checkpoint. One whose host lives is refused.",
    example: "order-17 --wait",
  }),
  acting({
    kind: "cancel",
    summary: "cancels unfinished runs and undoes their completed steps",
    text: "Cancels an unfinished run: its completed steps are compensated.",
    example: 'order-17 --reason "customer called"',
  }),
  acting({
    kind: "wake",
    summary: "ends the time for which runs sleep, or wait at most",
    text: "Ends the time of a run that sleeps, or that waits for a signal until a time.",
    example: "order-17",
  }),
  acting({
    kind: "forget",
    summary: "deletes ended runs with their logs",
    text: "Deletes an ended run with its log. One that has not ended is refused: cancel it first.",
    example: "order-17",
  }),
  {
    name: "runs signal",
    summary: "sends a signal to a run",
    help: `framework runs signal ID NAME --payload JSON [--id ID] [--wait]

Sends a signal of a name that the Axon of the run waits for; its schema checks the payload. It is
kept for later where the run does not wait for it now. A run keeps one signal of an id: a repeated
command with --id sends nothing twice.

  framework runs signal order-17 approved --payload '{"by":"ada"}'
  framework runs signal order-17 approved --payload @approval.json --id approval-17

${EXITS}
  --payload JSON    also @FILE, or - for stdin: other users of the machine see the command line
  --id ID           of the signal; default: a new one
${ASK_HELP}${FROM_HELP}`,
    options: { ...ASK, ...FROM, payload: { type: "string" }, id: { type: "string" } },
    operands: 2,
    run: run("runsSignal"),
  },
  {
    name: "runs start",
    summary: "starts a kept run of an Axon",
    help: `framework runs start AXON --input JSON [--run-id ID] [--wait]

Starts a run on a host that serves the Axon; the schema of the Axon checks the input. A run that
has begun under this id is known, and not begun again.

  framework runs start order --input '{"sku":"tea"}' --run-id order-17 --wait
  framework runs start order --input @order.json

${EXITS}
  --input JSON      also @FILE, or - for stdin: other users of the machine see the command line
  --run-id ID       of the run; default: a new one
${ASK_HELP}${FROM_HELP}`,
    options: { ...ASK, ...FROM, input: { type: "string" }, "run-id": { type: "string" } },
    operands: 1,
    run: run("runsStart"),
  },
  {
    name: "runs export",
    summary: "writes logs of kept runs, masked, to replay them elsewhere",
    help: `framework runs export [MODULE] [--axon NAME] [--state STATE] [--limit N] [--to FILE]

Writes a line of JSON for each run, the newest first: { "run_id", "axon", "entries" }. Values are
masked where a name is a secret's, or a name or a value is personal data: "[redacted]" is in their
place, names and structure stay. With MODULE also where the schemas of its Axons mark them.

  framework runs export src/app.ts --axon order --state completed --limit 100 --to runs.jsonl

Exits with 0, 1 where a log could not be read, 2 where the store cannot be asked, or the file is
not new.

${FILTER_HELP}  --limit N         at most so many; default 1000
  --to FILE         a new file that its owner alone can read; default: stdout
  --unmasked        with all values; in production with --yes
  --yes             for --unmasked
  --file FILE       framework.toml
  --export NAME     the export of MODULE that is the ingress
`,
    options: {
      ...FILTER,
      ...{ to: { type: "string" }, unmasked: { type: "boolean" }, yes: { type: "boolean" } },
      ...{ file: { type: "string" }, export: { type: "string" } },
    },
    operands: 1,
    run: async (given, surroundings) => (await import("./runs/export.js")).runsExport(given, surroundings),
  },
  {
    name: "dlq list",
    summary: "dead letters, the oldest failure first",
    help: `framework dlq list [--axon NAME] [--since TIME] [--until TIME] [--limit N]

Prints a line for each dead letter: id, Axon, node, when it failed, how often, and the error.

  framework dlq list --axon order

Exits with 0, or 2 where the store or the Inspector cannot be asked.

  --axon NAME       only letters of this Axon
  --since TIME      only failures at 2026-01-31, or 2026-01-31T12:00:00Z, or later
  --until TIME      only failures before
  --limit N         from 1 to 500; default 100
${FROM_HELP}`,
    options: { ...LETTERS, ...FROM },
    operands: 0,
    run: run("dlqList"),
  },
  {
    name: "dlq show",
    summary: "one dead letter: its input and its error",
    help: `framework dlq show ID

Prints a dead letter with its input and error, masked as by framework runs show.

  framework dlq show 5b0c7d0e-8a56-4f62-9f0b-3a6d43f3c1b2

Exits with 0, 1 where there is no such letter, 2 where the store or the Inspector cannot be asked.

${FROM_HELP}`,
    options: FROM,
    operands: 1,
    run: run("dlqShow"),
  },
  letters(
    "redrive",
    "runs the work of dead letters again",
    "Runs the Axon from the step that failed, or the first that was undone. On success the letter is removed.",
  ),
  letters(
    "discard",
    "deletes dead letters",
    "Deletes dead letters: their work is not done. Needs --yes also for one.",
  ),
];
