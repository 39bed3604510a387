import type { ParseArgsConfig } from "node:util";

/** What a command may do to the outside. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether `err` writes to a terminal, for progress. */
  readonly isTerminal: boolean;
}

export interface Command {
  /** As it is typed: "config explain". */
  readonly name: string;
  /** For the list of commands. */
  readonly summary: string;
  /** What --help prints. */
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** How many words may follow its name. */
  readonly operands: number;
  /** Answers the exit code: 0, or 1 where it found something. */
  readonly run: (given: Given, surroundings: Surroundings) => Promise<number>;
}

export interface Given {
  readonly operands: readonly string[];
  readonly text: (option: string) => string | undefined;
  readonly flag: (option: string) => boolean;
}

/** Nothing was found out: exit code 2. */
export class CommandError extends Error {}

/** The command line is wrong. */
export class UsageError extends CommandError {}
