// Completions of the path that is being typed.

import type { SchemaPath } from "../../breakpoints/schema-paths.js";

export interface Completion {
  /** Start of the text that a completion replaces. */
  readonly from: number;
  readonly to: number;
  readonly paths: readonly SchemaPath[];
}

const PATH_BEFORE = /[\p{L}_$][\p{L}\p{N}_$.[\]-]*$/u;
/** A path may follow this text. */
const MAY_BEGIN = /(^|[(!&|])\s*$/;
const MOST = 8;

/** At a position in the text; undefined where no path can stand. */
export function completionAt(
  text: string,
  caret: number,
  paths: readonly SchemaPath[],
): Completion | undefined {
  const before = text.slice(0, caret);
  const typed = PATH_BEFORE.exec(before)?.[0] ?? "";
  const from = caret - typed.length;
  if (!MAY_BEGIN.test(text.slice(0, from))) return undefined;
  const wanted = typed.toLowerCase();
  const fitting = paths.filter(
    ({ path }) => path !== typed && path !== "$" && path.toLowerCase().startsWith(wanted),
  );
  return fitting.length === 0 ? undefined : { from, to: caret, paths: fitting.slice(0, MOST) };
}
