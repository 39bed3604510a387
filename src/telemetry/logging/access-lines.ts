import type { AccessLog } from "#core/ports/answer-observer.js";
import { jsonText } from "#core/wire/json-text.js";

export const ACCESS_MODULE = "http.access";

/**
 * Lines of level info around finished members, as pino's child logger of the module writes
 * them: serialised by pino, a line costs several times as much.
 */
export function accessLines(isEnabled: boolean, write: (line: string) => void): AccessLog {
  // Lines of one millisecond begin alike, and most end alike: a number of that length takes
  // longer to write than all else here, and every piece is copied on its own.
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
