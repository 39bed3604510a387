import type { ParseArgsConfig } from "node:util";

/** Inputs and outputs of a command. */
export interface Surroundings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True if `err` writes to a terminal: progress is shown only there. */
  readonly isTerminal: boolean;
  /** True if `out` writes to a terminal and NO_COLOR is not set. Default: false. */
  readonly hasColour?: boolean;
}

export interface Command {
  /** As it is typed: "config explain". */
  readonly name: string;
  /** For the list of commands. */
  readonly summary: string;
  /** Text of --help. */
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** Maximum number of words after its name; Infinity for a list. */
  readonly operands: number;
  /** Returns the exit code: 0, or 1 if it found problems. */
  readonly run: (given: Given, surroundings: Surroundings) => Promise<number>;
}

export interface Given {
  readonly operands: readonly string[];
  readonly text: (option: string) => string | undefined;
  /** All values of an option with `multiple`. */
  readonly list: (option: string) => readonly string[];
  readonly flag: (option: string) => boolean;
}

/** The command could not produce a result: exit code 2. */
export class CommandError extends Error {}

/** The command line is invalid. */
export class UsageError extends CommandError {}
