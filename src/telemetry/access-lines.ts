import type { AccessLog } from "#core/answer-observer.js";
import { jsonText } from "#core/json-text.js";

export const ACCESS_MODULE = "http.access";

/**
 * Lines of level info around finished members, as pino's child logger of the module writes
 * them: serialised by pino, a line costs several times as much.
 */
export const accessLines = (isEnabled: boolean, write: (line: string) => void): AccessLog => ({
  isEnabled,
  write: (members, message) => {
    if (!isEnabled) return;
    const head = `{"level":30,"time":${Date.now()},"module":"${ACCESS_MODULE}"`;
    write(`${head}${members},"msg":${jsonText(message)}}\n`);
  },
});
