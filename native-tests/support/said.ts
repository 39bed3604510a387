import assert from "node:assert/strict";

/** Each text matches the pattern at its place, and there are no others. */
export function assertSaid(texts: readonly (string | undefined)[], patterns: readonly RegExp[]): void {
  const misses = texts.filter((text = "", at) => patterns[at]?.test(text) !== true);

  assert.deepEqual([misses, texts.length], [[], patterns.length], `said: ${texts.join("\n")}`);
}
