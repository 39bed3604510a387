// The file and line of a declaration in the application, for the Schematic. Capturing it costs
// one stack frame; its text is made when it is read.

import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import type { SourceLocation } from "#core/flow/schematic.js";

export interface CallSite {
  /** Undefined if the engine gives no file. */
  readonly locate: () => SourceLocation | undefined;
}

export function callSite(caller: (...args: never[]) => unknown): CallSite {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(holder, caller);
  Error.stackTraceLimit = limit;
  return { locate: () => locationOf(holder.stack ?? "") };
}

function locationOf(stack: string): SourceLocation | undefined {
  const [, place, line] = /(?:\(|at )((?:file:\/\/)?\/[^()\n]*?):(\d+):\d+\)?$/m.exec(stack) ?? [];
  if (place === undefined) return undefined;
  const path = place.startsWith("file:") ? fileURLToPath(place) : place;
  return { file: relative(packageFolder(dirname(path)), path), line: Number(line) };
}

/** The nearest parent folder that has a package.json, else the root. */
export function packageFolder(from: string): string {
  const above = dirname(from);
  return existsSync(join(from, "package.json")) || above === from ? from : packageFolder(above);
}
