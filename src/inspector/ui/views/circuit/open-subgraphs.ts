// The open subgraphs as one URL parameter.

export function openIn(text: string): ReadonlySet<string> {
  return new Set(text === "" ? [] : text.split(",").map(decodeURIComponent));
}

/** Opens or closes one subgraph. Closing it also closes the subgraphs inside. */
export function printOpen(open: ReadonlySet<string>, toggled: string): string | undefined {
  const next = new Set(open);
  if (next.has(toggled)) {
    for (const id of next) if (id === toggled || id.startsWith(`${toggled}/`)) next.delete(id);
  } else next.add(toggled);
  return next.size === 0 ? undefined : [...next].sort().map(encodeURIComponent).join(",");
}
