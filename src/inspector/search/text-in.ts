// Text in what a run shows: its names, and the leaves of its values. Not the names of its members.

import { visible } from "#core/wire/visible-text.js";

const AROUND = 40;

/** The text around the wanted one, which is in lower case; undefined if it is not in it. */
function excerpt(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  const [from, to] = [Math.max(0, at - AROUND), at + wanted.length + AROUND];
  return visible(`${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`);
}

interface Leaf {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly text: string;
}

/** The first leaf that has it. */
export function leafWith(value: unknown, wanted: string, pointer = ""): Leaf | undefined {
  if (typeof value === "string" || typeof value === "number") {
    const text = excerpt(String(value), wanted);
    return text === undefined ? undefined : { pointer, text };
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = leafWith(inner, wanted, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
