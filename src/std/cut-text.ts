/** The text, of a longer one its beginning and how much more there is. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  // Not between the halves of a surrogate pair.
  const kept = text.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max);
  return `${kept}... ${text.length - kept.length} more`;
}
