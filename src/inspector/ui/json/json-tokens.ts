// Prints JSON with an indent of two, short lists and objects on one line, as tokens for colours.

export interface JsonToken {
  readonly kind: "key" | "text" | "number" | "word" | "plain";
  readonly text: string;
}

const LINE = 88;
/** Longer text is of no use and slow to lay out. */
export const MAX_SHOWN = 100_000;

export function prettyJson(value: unknown): string {
  return print(value, 0) ?? "undefined";
}

const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;

export function jsonTokens(text: string): readonly JsonToken[] {
  const tokens: JsonToken[] = [];
  let at = 0;
  for (const found of text.matchAll(TOKEN)) {
    if (found.index > at) tokens.push({ kind: "plain", text: text.slice(at, found.index) });
    tokens.push({ kind: kindOf(found[0], found[1] !== undefined), text: found[0] });
    at = found.index + found[0].length;
  }
  if (at < text.length) tokens.push({ kind: "plain", text: text.slice(at) });
  return tokens;
}

function kindOf(text: string, isKey: boolean): JsonToken["kind"] {
  if (isKey) return "key";
  if (text.startsWith('"')) return "text";
  return /^[tfn]/.test(text) ? "word" : "number";
}

function print(value: unknown, indent: number): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => print(one, indent + 2) ?? "null")
    : Object.entries(value).flatMap(([key, one]) => {
        const text = print(one, indent + 2);
        return text === undefined ? [] : [`${JSON.stringify(key)}: ${text}`];
      });
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const flat = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (indent + flat.length <= LINE && !flat.includes("\n") && (isList || parts.length <= 3)) return flat;
  const pad = " ".repeat(indent);
  return `${open}\n${parts.map((part) => `${pad}  ${part}`).join(",\n")}\n${pad}${close}`;
}
