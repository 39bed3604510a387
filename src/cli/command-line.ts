// The command line of `framework`: finds the command, reads its options, and turns results and errors
// into text and an exit code.

import { readFileSync } from "node:fs";
import { inspect, parseArgs } from "node:util";

import { didYouMean, nearest } from "#core/nearest.js";
import { shownUrl } from "#core/wire/shown-url.js";
import { visible } from "#core/wire/visible-text.js";
import { commands } from "./commands.js";
import { type Command, CommandError, type Given, type Surroundings, UsageError } from "./terminal/command.js";

const COMMON = { help: { type: "boolean", short: "h" }, verbose: { type: "boolean" } } as const;

/** Runs a command line, without the names of node and the program, and returns its exit code. */
export async function runCommandLine(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    return await dispatch(args, surroundings);
  } catch (error) {
    surroundings.err(`framework: ${readable(error, args.includes("--verbose"))}\n`);
    return error instanceof CommandError ? 2 : 1;
  }
}

async function dispatch(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const [first] = args;
  if (first === "--help" || first === "-h") {
    surroundings.out(overview());
    return 0;
  }
  if (first === "--version") {
    surroundings.out(`${version()}\n`);
    return 0;
  }
  const below = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (below.length > 0 && (args[1] === "--help" || args[1] === "-h")) {
    surroundings.out(below.map(({ help }) => help).join("\n"));
    return 0;
  }
  const command = commandOf(args);
  const words = command.name.split(" ").length;
  const { operands, values } = read(command, args.slice(words));
  if (values["help"] === true) {
    surroundings.out(command.help);
    return 0;
  }
  const given: Given = {
    operands,
    text: (option) => values[option] as string | undefined,
    list: (option) => (values[option] as readonly string[] | undefined) ?? [],
    flag: (option) => values[option] === true,
  };
  return command.run(given, surroundings);
}

function commandOf(args: readonly string[]): Command {
  const typed = args.slice(0, LONGEST).filter((word) => !word.startsWith("-"));
  for (let words = typed.length; words > 0; words -= 1) {
    const name = typed.slice(0, words).join(" ");
    const found = commands.find((command) => command.name === name);
    if (found !== undefined && args.slice(0, words).join(" ") === name) return found;
  }
  if (args.length === 0) throw new UsageError(`a command is missing\n\n${overview().trimEnd()}`);
  const [first = ""] = typed;
  const below = names().filter((name) => typed.length === 1 && name.startsWith(`${first} `));
  const known = below.length > 0 ? below : names();
  throw new UsageError(unknown("command", typed.join(" ") || String(args[0]), first, known));
}

const LONGEST = 2;

const names = (): readonly string[] => commands.map((command) => command.name);

function read(
  command: Command,
  args: readonly string[],
): { readonly operands: readonly string[]; readonly values: Readonly<Record<string, unknown>> } {
  const options = { ...command.options, ...COMMON };
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length > command.operands)
      throw new UsageError(
        `'${visible(shownUrl(positionals[command.operands] ?? ""))}' is one word too many; ${more(command)}`,
      );
    return { operands: positionals, values };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("ERR_PARSE_ARGS")) throw error;
    const [, option] = /^Unknown option '(-*[^']*)'/.exec(message) ?? [];
    if (option === undefined) throw new UsageError(`${visible(message)}; ${more(command)}`);
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(unknown("option", option, option, known));
  }
}

const more = (command: Command): string => `'framework ${command.name} --help' tells more`;

function unknown(kind: string, word: string, tail: string, known: readonly string[]): string {
  const near = nearest(
    word,
    tail,
    known.map((name) => ({ name, tail: name.split(" ").at(-1) as string })),
  );
  const remedy = didYouMean(near) || `there ${known.length === 1 ? "is" : "are"} ${known.join(", ")}`;
  return `there is no ${kind} '${visible(word)}'; ${remedy}`;
}

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `framework COMMAND [OPTIONS]

${rows.join("\n")}

  --help      this text; after a command, what it does and takes
  --version   the version of the package
  --verbose   errors with their stacks

Exit codes: 0; 1 where something was found or failed; 2 where the command line is wrong or a store cannot be asked.
`;
}

function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** An error as text: the message and its cause, with the stack only if `verbose`. */
function readable(error: unknown, verbose: boolean): string {
  if (verbose && !(error instanceof UsageError)) return inspect(error);
  if (!(error instanceof Error)) return inspect(error);
  const { cause } = error;
  if (cause === undefined) return error.message;
  return `${error.message}\n  because ${cause instanceof Error ? cause.message : inspect(cause)}`;
}
