import type { FormatLines } from "#telemetry/logging/line-output.js";
import { createLogger, type LogSettings, type RootLogger } from "#telemetry/logging/logger.js";

/** A logger whose text is kept. */
export function keptLogger(settings: Partial<LogSettings> = {}): {
  readonly log: RootLogger;
  readonly output: { readonly onRecovered: (dropped: number) => void };
  readonly text: () => string;
  readonly lines: () => readonly Record<string, any>[];
} {
  let text = "";
  const write = (line: string) => {
    text += line;
  };
  const gather = (line: string, format?: FormatLines) => write(format === undefined ? line : format([line]));
  const output = { write, gather, flush: () => {}, onRecovered: (_dropped: number) => {} };
  const log = createLogger({ format: "json", level: "trace", moduleLevels: {}, ...settings }, output);
  const lines = () =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { log, output, text: () => text, lines };
}
