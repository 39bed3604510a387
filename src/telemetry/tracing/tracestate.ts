// The header `tracestate` (W3C Trace Context, level 2, section 3.3): what other
// tracing systems pass along, which nobody here reads.

const MAX_MEMBERS = 32;
const MAX_LENGTH = 512;
/** Of members that do not all fit, the longer ones go first. */
const LONG_MEMBER = 128;

// Level 1 has a stricter grammar of keys, with at most one "@"; every key of it is one of these.
const MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/**
 * The members of all headers of this name, without space between them, at most 512
 * characters; "" where one of them is malformed, two have one key, or there are more than 32.
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

/** Without the last of the long members, then without the last of all, until the rest fits. */
function fitted(members: readonly string[]): readonly string[] {
  const length = members.reduce((sum, member) => sum + member.length + 1, -1);
  if (length <= MAX_LENGTH) return members;
  const long = members.findLastIndex((member) => member.length > LONG_MEMBER);
  return fitted(members.toSpliced(long, 1));
}

// Not by an expression, which would look for the end of each run of spaces in turn.
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;
