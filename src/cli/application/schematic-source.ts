// Sources for BASE and HEAD of `framework schematic`: an export, a module, or a commit with an export.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";

import type { SourceLocation } from "#core/flow/schematic.js";
import type { Change } from "#drift/change.js";
import { DriftError, type ProgramExport, readProgram } from "#drift/program-export.js";
import { CommandError, UsageError } from "../terminal/command.js";
import { programOf } from "./program-export.js";

export interface SchematicSource {
  readonly program: ProgramExport;
  /** Location in an export of a change that has none. Undefined for a module. */
  readonly placeOf: (change: Change) => SourceLocation | undefined;
}

export interface SourceOptions {
  /** The committed export's path. */
  readonly file: string;
  readonly exportName: string | undefined;
}

export const COMMITTED = "schematics.json";

export async function sourceOf(given: string, { file, exportName }: SourceOptions): Promise<SchematicSource> {
  if (existsSync(given) && statSync(given).isFile())
    return /\.[cm]?[jt]sx?$/.test(given)
      ? { program: await programIn(given, exportName), placeOf: () => undefined }
      : exported(readFileSync(given, "utf8"), given);
  const commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${given}^{commit}`);
  if (commit === undefined)
    throw new UsageError(`'${given}' is no file, and git knows no commit of that name here`);
  const text = git("show", `${commit.trim()}:./${file}`);
  if (text === undefined)
    throw new CommandError(
      `${given} has no ${file}: commit one, framework schematic export MODULE --out ${file}, or name its path by --file`,
    );
  return exported(text, file);
}

/** A module that cannot be read is an error, not a change. */
async function programIn(module: string, exportName: string | undefined): Promise<ProgramExport> {
  try {
    return await programOf(module, exportName, { sourceLocations: true });
  } catch (error) {
    const { message, cause } = error as Error;
    throw new CommandError(message, { cause });
  }
}

function exported(text: string, name: string): SchematicSource {
  const lines = text.split("\n");
  const lineOf = (node: string): number | undefined => {
    const at = lines.findIndex((line) => line.includes(`"id": ${JSON.stringify(node)}`));
    return at < 0 ? undefined : at + 1;
  };
  return {
    program: readable(() => readProgram(text, name)),
    placeOf: ({ node, axon }) => ({ file: name, line: lineOf(node ?? axon) ?? lineOf(axon) ?? 1 }),
  };
}

/** Reports an invalid file as the user's error. */
export function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof DriftError ? new CommandError(error.message) : error;
  }
}

/** The output of git; undefined if it fails. */
function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new CommandError("git is not installed, and a commit was named: give a file");
    return undefined;
  }
}
