import type { PlainObject } from "#telemetry/plain-value.js";
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

/** A line of the log as a trace has it; undefined for what is none. It was masked when it was written. */
export function keptLine(line: string): KeptLine | undefined {
  try {
    const { level, time, module, msg, request_id, trace_id, span_id, ...fields } = JSON.parse(line);
    return {
      at: Number(time),
      level: LEVELS.get(level) ?? String(level),
      module: typeof module === "string" ? module : null,
      message: String(msg ?? "").slice(0, MAX_MESSAGE),
      fields: line.length <= MAX_LINE ? (fields as PlainObject) : {},
    };
  } catch {
    return undefined;
  }
}

/** The same without the texts of an exception: its class and its code are left. */
export function withoutErrorTexts(line: KeptLine): KeptLine {
  const { err, ...fields } = line.fields as PlainObject;
  if (typeof err !== "object" || err === null || Array.isArray(err)) return line;
  const { type = null, code = null, message } = err as PlainObject;
  return {
    ...line,
    // A line that is given an error alone has its message.
    message: line.message === message ? String(type) : line.message,
    fields: { ...fields, err: { type, code } },
  };
}
