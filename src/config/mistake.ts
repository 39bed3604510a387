import { FrameworkError } from "#core/errors.js";
import type { Place } from "./toml-places.js";

/** One mistake in the configuration. Never contains the value of a secret. */
export interface ConfigMistake {
  /** The file, as named in messages; undefined for a variable. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The key in the file, or the variable; "" if the file as a whole is wrong. */
  readonly key: string;
  readonly problem: string;
  /** How to correct it. */
  readonly remedy: string;
}

/** The configuration is invalid. The message has a line for each mistake. */
export class ConfigError extends FrameworkError {
  override readonly name = "ConfigError";
  // Private: Node.js prints the members of an uncaught error, and the message already contains them.
  readonly #mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    super("CONFIG_INVALID", report(mistakes));
    this.#mistakes = Object.freeze([...mistakes]);
  }

  get mistakes(): readonly ConfigMistake[] {
    return this.#mistakes;
  }
}

export const inFile = (
  file: string,
  place: Place | undefined,
  key: string,
  problem: string,
  remedy: string,
): ConfigMistake => Object.freeze({ file, line: place?.line, column: place?.column, key, problem, remedy });

export const inVariable = (variable: string, problem: string, remedy: string): ConfigMistake =>
  Object.freeze({ file: undefined, line: undefined, column: undefined, key: variable, problem, remedy });

/** The remedy if no known name is similar. */
export const LISTED = "docs/configuration.md lists them all";

const BARE = /^[A-Za-z0-9_-]+$/;

/** A key as named in messages: unusual parts are quoted, so that they cannot forge a line. */
export const redactedPath = (path: readonly string[]): string => path.map(shownName).join(".");

export const shownName = (name: string): string => (BARE.test(name) ? name : cut(JSON.stringify(name)));

const MAX_SHOWN = 60;

export const cut = (text: string): string =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;

function report(mistakes: readonly ConfigMistake[]): string {
  const count = mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`;
  return [`The configuration has ${count}:`, ...mistakes.map((mistake) => `  ${lineOf(mistake)}`)].join("\n");
}

function lineOf({ file, line, column, key, problem, remedy }: ConfigMistake): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const where = [place, key].filter((part) => part !== "").join(" ");
  return `${where}: ${problem}; ${remedy}`;
}
