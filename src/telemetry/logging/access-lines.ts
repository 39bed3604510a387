import type { AccessLog } from "#core/ports/answer-observer.js";
import { jsonText } from "#core/wire/json-text.js";

export const ACCESS_MODULE = "http.access";

/**
 * Writes info lines from prepared members, in the format of pino's child logger of the module. A
 * line serialised by pino costs several times as much.
 */
export function accessLines(isEnabled: boolean, write: (line: string) => void): AccessLog {
  // Lines of one millisecond share their beginning, and most share their end. Formatting the
  // timestamp costs more than the rest of the line, and each piece is copied separately.
  let time = Number.NaN;
  let head = "";
  let said: string | undefined;
  let tail = "";
  return {
    isEnabled,
    write: (members, message) => {
      if (!isEnabled) return;
      const now = Date.now();
      if (now !== time) {
        time = now;
        head = `{"level":30,"time":${now},"module":"${ACCESS_MODULE}"`;
      }
      if (message !== said) {
        said = message;
        tail = `,"msg":${jsonText(message)}}\n`;
      }
      write(head + members + tail);
    },
  };
}
