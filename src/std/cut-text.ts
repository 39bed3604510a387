/** The text. A longer one is truncated, and the number of missing characters appended. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  // Does not split a surrogate pair.
  const kept = text.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max);
  return `${kept}... ${text.length - kept.length} more`;
}
