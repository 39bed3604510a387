// Parses the typed parts of a request.

import { FORM, sentForm } from "./form-text.js";

export type Headers =
  | { readonly kind: "right"; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "wrong"; readonly message: string };

/** One header per line, "name: value". */
export function headersOf(text: string): Headers {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const found = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*$/.exec(line);
    if (found === null) return { kind: "wrong", message: `Invalid header: ${line.trim()}` };
    headers[(found[1] as string).toLowerCase()] = found[2] as string;
  }
  return { kind: "right", headers: { ...headers } };
}

/**
 * The typed body with its content type: the media type that the route reads, so that malformed
 * bodies can be tried. JSON if the route names no type and the text parses as JSON. A content type
 * among the headers wins; an empty body has none.
 */
export function bodyWith(
  text: string,
  headers: Readonly<Record<string, string>>,
  type: string | null,
): { readonly headers: Readonly<Record<string, string>>; readonly body?: string } {
  if (text.trim() === "") return { headers };
  const isOwn = "content-type" in headers;
  // A multipart type contains a boundary: the author of the body sets it in the headers.
  const wanted = type ?? (readsAsJson(text) ? "application/json" : undefined);
  if (headers["content-type"]?.toLowerCase().startsWith(FORM) === true)
    return { headers, body: sentForm(text) };
  if (isOwn || wanted === undefined || wanted === "multipart/form-data") return { headers, body: text };
  const body = wanted === FORM ? sentForm(text) : text;
  return { headers: { ...headers, "content-type": wanted }, body };
}

export function readsAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Fills a pattern's parameters; the remaining values become the query. */
export function pathWith(pattern: string, values: unknown): string {
  if (typeof values !== "object" || values === null) return pathFor(pattern);
  const rest = new Map(Object.entries(values));
  const take = (name: string): string => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(value === undefined ? "1" : textOf(value));
  };
  const path = pattern
    .replace(/:([A-Za-z0-9_]+)(?:\([^)]*\))?\??/g, (_, name: string) => take(name))
    .replace(/\*([A-Za-z0-9_]*)$/, (_, name: string) => (rest.has(name) ? take(name) : ""));
  const query = new URLSearchParams();
  for (const [name, value] of rest)
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) query.append(name, textOf(one));
  return query.size === 0 ? path : `${path}?${query}`;
}

const textOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** An initial path of a pattern: "/orders/:id" becomes "/orders/1", "/files/*" becomes "/files/". */
export function pathFor(pattern: string): string {
  return pattern.replace(/:[A-Za-z0-9_]+(?:\([^)]*\))?\??/g, "1").replace(/\*[A-Za-z0-9_]*$/, "");
}
