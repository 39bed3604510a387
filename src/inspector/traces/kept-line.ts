import { BEYOND, type HiddenTexts } from "#schema/hidden-texts.js";
import { type PlainObject, withTexts } from "#telemetry/plain-value.js";
import type { KeptLine } from "./kept-trace.js";

const LEVELS: ReadonlyMap<unknown, string> = new Map([
  [10, "trace"],
  [20, "debug"],
  [30, "info"],
  [40, "warn"],
  [50, "error"],
  [60, "fatal"],
]);

/** A longer line is kept without its fields. */
const MAX_LINE = 8192;
const MAX_MESSAGE = 1000;

/**
 * A line of the log as a trace has it, without what was masked of its run; undefined for what is
 * none. What its fields are called has hidden what is secret already, and they are plain.
 */
export function keptLine(line: string, hidden: HiddenTexts): KeptLine | undefined {
  const shown = (text: string): string => hidden.masked(text);
  try {
    const { level, time, module, msg, request_id, trace_id, span_id, ...fields } = JSON.parse(line);
    return {
      at: Number(time),
      level: LEVELS.get(level) ?? String(level),
      module: typeof module === "string" ? module : null,
      message: shown(String(msg ?? "").slice(0, MAX_MESSAGE + BEYOND)).slice(0, MAX_MESSAGE),
      fields: line.length <= MAX_LINE ? (withTexts(fields, shown) as PlainObject) : {},
    };
  } catch {
    return undefined;
  }
}
