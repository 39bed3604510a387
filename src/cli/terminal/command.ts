import type { ParseArgsConfig } from "node:util";

/** What a command may do to the outside. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True if `err` writes to a terminal: progress is shown there alone. */
  readonly isTerminal: boolean;
  /** True if `out` writes to a terminal and NO_COLOR is not set. Default: false. */
  readonly hasColour?: boolean;
}

export interface Command {
  /** As it is typed: "config explain". */
  readonly name: string;
  /** For the list of commands. */
  readonly summary: string;
  /** What --help prints. */
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** Largest number of words after its name; Infinity for a list. */
  readonly operands: number;
  /** Answers the exit code: 0, or 1 where it found something. */
  readonly run: (given: Given, surroundings: Surroundings) => Promise<number>;
}

export interface Given {
  readonly operands: readonly string[];
  readonly text: (option: string) => string | undefined;
  /** All values of an option with `multiple`. */
  readonly list: (option: string) => readonly string[];
  readonly flag: (option: string) => boolean;
}

/** The command could not find out what it was asked: exit code 2. */
export class CommandError extends Error {}

/** The command line is wrong. */
export class UsageError extends CommandError {}
