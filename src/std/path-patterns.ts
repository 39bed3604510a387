import querystring from "node:querystring";
import { invalidOption } from "#core/invalid-option.js";
import { REDACTED } from "#core/secrets/secret.js";

// Paths are normalised for comparison: fully decoded, ASCII in lower case, without repeated or trailing
// slashes. All spellings may lead to the same place, behind a proxy or in the mind of a link's author.
const SPELLED = /[%\\A-Z]|\/\/|\/\./;
const MAX_DECODINGS = 3;

/** Maximum number of shown characters of a path. The rest is not read. */
export const MAX_PATH = 1024;

/** Patterns of paths, exact ("/login") or by prefix ("/users/*"). */
export class PathPatterns {
  readonly #listed: ReadonlySet<string>;
  readonly #exact = new Set<string>();
  /** The shortest first: it hides the rest of the path, whatever longer ones match. */
  readonly #prefixes: readonly { readonly text: string; readonly folded: string }[];

  /** `call` names the owner of the patterns in errors. Throws CONFIG_INVALID. */
  constructor(patterns: readonly string[], call: string) {
    const prefixes: string[] = [];
    if (!Array.isArray(patterns)) throw invalidOption(call, 'what it was given is no list: write ["..."]');
    for (const pattern of patterns) {
      requirePattern(pattern, call);
      if (pattern.endsWith("*")) prefixes.push(pattern.slice(0, -1));
      else this.#exact.add(unended(folded(pattern)));
    }
    this.#listed = new Set(patterns);
    this.#prefixes = prefixes
      .sort((a, b) => a.length - b.length)
      .map((text) => ({ text, folded: folded(text) }));
  }

  /** True if the path is listed in this exact spelling. */
  has(path: string): boolean {
    if (!PLAIN.test(path)) return false;
    return this.#listed.has(path) || this.#prefixes.some(({ text }) => path.startsWith(text));
  }

  /** Replaces a path that is listed, in any spelling; undefined if it is not listed. */
  redacted(path: string): string | undefined {
    if (this.#listed.size === 0) return undefined;
    const plain = folded(path.slice(0, MAX_PATH));
    return this.#redacted(plain) ?? (plain.includes("/.") ? this.#redacted(resolved(plain)) : undefined);
  }

  #redacted(path: string): string | undefined {
    if (this.#exact.has(unended(path))) return REDACTED;
    for (const { text, folded } of this.#prefixes) if (path.startsWith(folded)) return text + REDACTED;
    return undefined;
  }
}

const PLAIN = /^(?:\/(?!\.)[\w.~!$&'()*+,;=:@-]+)*\/?$/;
const UNFIT = /[?#:]|\*./;

function requirePattern(pattern: unknown, call: string): void {
  if (typeof pattern === "string" && pattern.startsWith("/") && !UNFIT.test(pattern)) return;
  throw invalidOption(
    call,
    `${JSON.stringify(pattern)} is no path: write one that begins with "/", or how paths begin with "*" at its end, as "/users/*", without parameters and query`,
  );
}

function folded(path: string): string {
  if (!SPELLED.test(path)) return path;
  let text = path;
  for (let i = 0; i < MAX_DECODINGS && text.includes("%"); i += 1) text = decoded(text);
  return text
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replaceAll("\\", "/")
    .replace(/\/\/+/g, "/");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Malformed or truncated: the readable part may be sufficient.
    return querystring.unescape(Buffer.from(text).toString("latin1"));
  }
}

const unended = (path: string): string => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);

/** Resolves dot segments, as clients do. */
function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.slice(1).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}
