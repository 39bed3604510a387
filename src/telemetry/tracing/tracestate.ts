// The header `tracestate` (W3C Trace Context, level 2, section 3.3). Its members belong to other
// tracing systems and are passed on unread.

const MAX_MEMBERS = 32;
const MAX_LENGTH = 512;
/** If the members do not fit, longer ones are dropped first. */
const LONG_MEMBER = 128;

// Level 1 has a stricter grammar of keys with at most one "@"; this one accepts all its keys.
const MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/**
 * The members of all headers of this name, without spaces, at most 512 characters. "" if a member
 * is malformed, a key is duplicate, or there are more than 32.
 */
export function parseTracestate(lines: readonly string[]): string {
  const members: string[] = [];
  const keys = new Set<string>();
  for (const part of lines.join(",").split(",")) {
    const member = trimmed(part);
    if (member === "") continue;
    if (members.length === MAX_MEMBERS || !MEMBER.test(member)) return "";
    members.push(member);
    keys.add(member.slice(0, member.indexOf("=")));
  }
  return keys.size < members.length ? "" : fitted(members).join(",");
}

/** Drops long members from the end, then any members from the end, until the rest fits. */
function fitted(members: readonly string[]): readonly string[] {
  const length = members.reduce((sum, member) => sum + member.length + 1, -1);
  if (length <= MAX_LENGTH) return members;
  const long = members.findLastIndex((member) => member.length > LONG_MEMBER);
  return fitted(members.toSpliced(long, 1));
}

// A regular expression would rescan each run of spaces.
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;
