// Which subgraphs are open, as one text of the URL.

export function openIn(text: string): ReadonlySet<string> {
  return new Set(text === "" ? [] : text.split(",").map(decodeURIComponent));
}

/** With one more, or one less; what stands inside one that closes is closed as well. */
export function printOpen(open: ReadonlySet<string>, toggled: string): string | undefined {
  const next = new Set(open);
  if (next.has(toggled)) {
    for (const id of next) if (id === toggled || id.startsWith(`${toggled}/`)) next.delete(id);
  } else next.add(toggled);
  return next.size === 0 ? undefined : [...next].sort().map(encodeURIComponent).join(",");
}
