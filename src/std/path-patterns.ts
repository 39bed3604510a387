import querystring from "node:querystring";
import { invalidOption } from "#core/invalid-option.js";
import { REDACTED } from "#core/secrets/secret.js";

// How a path is compared: decoded as often as it was encoded, without regard to the case of
// ASCII and to slashes that stand twice or last. All of them lead to the same place
// somewhere, behind a proxy or in the eyes of whoever wrote the link.
const SPELLED = /[%\\A-Z]|\/\/|\/\./;
const MAX_DECODINGS = 3;

/** Characters of a path that are shown; what is beyond is not looked at. */
export const MAX_PATH = 1024;

/** Paths, exact ("/login") or all that begin alike ("/users/*"). */
export class PathPatterns {
  readonly #listed: ReadonlySet<string>;
  readonly #exact = new Set<string>();
  /** The shortest first: what is behind it is hidden, whatever longer ones say. */
  readonly #prefixes: readonly { readonly text: string; readonly folded: string }[];

  /** `call` tells in errors who was given the patterns. Throws CONFIG_INVALID. */
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

  /** Whether the path is listed, and spelled as it is listed. */
  has(path: string): boolean {
    if (!PLAIN.test(path)) return false;
    return this.#listed.has(path) || this.#prefixes.some(({ text }) => path.startsWith(text));
  }

  /** What stands for the path where it is listed, however it is spelled; undefined where it is not. */
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
    // Malformed somewhere, or cut: what can be read of it may be enough.
    return querystring.unescape(Buffer.from(text).toString("latin1"));
  }
}

const unended = (path: string): string => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);

/** Without segments of dots, as clients resolve them. */
function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.slice(1).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}
