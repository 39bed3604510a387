import { type Applied, LeftAlone, type TextReplace, toldBy, type WarnText } from "./rule.js";
import type { Match } from "./text-pattern.js";

/**
 * Replaces what matches. A match that already stands in its own replacement is left, so that
 * "http" to "https" changes no "https", at the first run or a later one.
 */
export function replaceText(text: string, { matches, replacement, count, where }: TextReplace): Applied {
  let result = "";
  let places = 0;
  let done = 0;
  for (const match of matches(text)) {
    if (match.start < done) continue;
    const written = match.expand(replacement);
    const present = alreadyThere(text, match, written, done);
    if (present !== undefined) {
      const end = Math.max(present, match.end);
      result += text.slice(done, end);
      done = end;
      continue;
    }
    result += text.slice(done, match.start) + written;
    done = match.end;
    places += 1;
  }
  if (count !== undefined && places > 0 && places !== count)
    throw new LeftAlone(`${places} places match, and ${where} expects ${count}`);
  return { text: result + text.slice(done), notes: [] };
}

/** The end of the replacement around a match, where the text has it from `done` on. */
function alreadyThere(
  text: string,
  { start, end }: Match,
  written: string,
  done: number,
): number | undefined {
  const matched = text.slice(start, end);
  for (let at = written.indexOf(matched); at >= 0; at = written.indexOf(matched, at + 1))
    if (start - at >= done && text.startsWith(written, start - at)) return start - at + written.length;
  return undefined;
}

export const warnOfText = (text: string, rule: WarnText): Applied => ({
  text,
  notes: rule.matches(text).map(({ start }) => ({ at: start, message: toldBy(rule) })),
});
