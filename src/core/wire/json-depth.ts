const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * True if JSON is nested deeper than `max`. Ignores brackets in strings. Count before JSON.parse, which
 * takes a second for 10 MB of opening brackets.
 */
export function isDeeperThan(max: number, json: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i];
    if (inString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > max) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}
