// A Content-Security-Policy as directives (CSP level 3), validated when it is made: browsers silently
// ignore errors such as a keyword without quotes, and the page is unprotected.

import { invalidOption } from "#core/invalid-option.js";
import { textList } from "../text-list.js";

/** Directives with a list of sources. */
const SOURCE_LISTS = [
  "base-uri",
  "child-src",
  "connect-src",
  "default-src",
  "fenced-frame-src",
  "font-src",
  "form-action",
  "frame-ancestors",
  "frame-src",
  "img-src",
  "manifest-src",
  "media-src",
  "object-src",
  "script-src",
  "script-src-attr",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
  "worker-src",
] as const;

const OTHERS = [
  "report-to",
  "report-uri",
  "require-trusted-types-for",
  "sandbox",
  "trusted-types",
  "upgrade-insecure-requests",
] as const;

type CspDirective = (typeof SOURCE_LISTS)[number] | (typeof OTHERS)[number];

/** Values by directive, one text or several: `{ "img-src": ["'self'", "data:"] }`; false removes it. */
export type CspDirectives = { readonly [D in CspDirective]?: string | readonly string[] | false };

export type Csp = ReadonlyMap<string, readonly string[]>;

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "none self inline-speculation-rules report-sample strict-dynamic trusted-types-eval " +
    "unsafe-eval unsafe-hashes unsafe-inline wasm-unsafe-eval"
  )
    .split(" ")
    .map((keyword) => `'${keyword}'`),
);
/** A scheme without its colon would be a host name. */
const SCHEMES: ReadonlySet<string> = new Set(["blob", "data", "http", "https", "mediastream", "ws", "wss"]);
const HASH = /^'sha(?:256|384|512)-[A-Za-z0-9+/_-]+={0,2}'$/;
// Visible ASCII without separators of directives or policies.
const VALUE = /^[!-+\--:<-~]+$/;

const sourceLists: ReadonlySet<string> = new Set(SOURCE_LISTS);
const known: ReadonlySet<string> = new Set([...SOURCE_LISTS, ...OTHERS]);

/** Reads a whole policy. Throws CONFIG_INVALID. */
export function parseCsp(text: string): Csp {
  const csp = new Map<string, readonly string[]>();
  for (const part of text.split(";")) {
    const [given = "", ...values] = wordsOf(part);
    if (given === "") continue;
    const name = given.toLowerCase();
    if (csp.has(name)) throw invalid(name, "it stands there twice, and browsers read the first alone");
    csp.set(name, checked(name, values));
  }
  if (csp.size === 0) throw invalidOption("withCsp('')", "give at least one directive, or false for none");
  return csp;
}

/** The policy with other values for the named directives. Throws CONFIG_INVALID. */
export function changedCsp(csp: Csp, changes: CspDirectives): Csp {
  const changed = new Map(csp);
  const call = "withCsp(...)";
  if (typeof changes !== "object" || changes === null)
    throw invalidOption(call, "give the policy as a text, what changes as { directive: [...] }, or false");
  for (const [name, given] of Object.entries(changes)) {
    requireKnown(name);
    if (given === false) changed.delete(name);
    else changed.set(name, checked(name, typeof given === "string" ? wordsOf(given) : given));
  }
  if (changed.size === 0) throw invalidOption(call, "no directive is left: withCsp(false) sends none");
  return changed;
}

const wordsOf = (text: string): readonly string[] => text.split(/[ \t]+/).filter((word) => word !== "");

export const cspText = (csp: Csp): string =>
  [...csp].map(([name, values]) => [name, ...values].join(" ")).join("; ");

/** The policy with a nonce for scripts and styles: the parts around the nonce. */
export function noncedCsp(csp: Csp): readonly string[] {
  const nonced = new Map(csp);
  for (const name of ["script-src", "style-src"]) {
    nonced.set(name, withNonce(csp.get(name) ?? csp.get("default-src") ?? []));
    // If present, browsers read it instead of the fallback directive.
    const elements = csp.get(`${name}-elem`);
    if (elements !== undefined) nonced.set(`${name}-elem`, withNonce(elements));
  }
  return cspText(nonced).split(NONCE);
}

/** Placeholder for a nonce: no value of a policy contains it. */
const NONCE = "\n";

const withNonce = (sources: readonly string[]): readonly string[] => [
  ...sources.filter((source) => source !== "'none'"),
  `'nonce-${NONCE}'`,
];

function requireKnown(name: string): void {
  if (known.has(name)) return;
  throw invalid(name, `it is unknown or obsolete: use ${[...known].join(", ")}`);
}

function checked(name: string, values: readonly string[]): readonly string[] {
  requireKnown(name);
  textList(`withCsp(), directive ${JSON.stringify(name)}`, "its value", values);
  for (const value of values) {
    if (!VALUE.test(value))
      throw invalid(name, `${JSON.stringify(value)} holds what may not stand there: encode it`);
    if (sourceLists.has(name)) requireSource(name, value);
  }
  if (!sourceLists.has(name)) return [...values];
  if (values.length === 0) throw invalid(name, "it names no source: say 'none'");
  if (values.length > 1 && values.includes("'none'"))
    throw invalid(name, "'none' stands beside other sources, and browsers ignore it there");
  return [...values];
}

function requireSource(name: string, source: string): void {
  if (KEYWORDS.has(source) || HASH.test(source)) return;
  if (/^'?nonce-/.test(source)) throw invalid(name, "a nonce is good for one answer: call withNonce()");
  if (KEYWORDS.has(`'${source}'`) || HASH.test(`'${source}'`))
    throw invalid(name, `${source} is a keyword and stands in quotes: "'${source}'"`);
  if (SCHEMES.has(source.toLowerCase()))
    throw invalid(name, `${source} is a scheme and ends in a colon: "${source}:"`);
  if (/['"]/.test(source)) throw invalid(name, `${source} is no keyword that browsers know`);
}

const invalid = (directive: string, why: string): Error =>
  invalidOption(`withCsp(), directive ${JSON.stringify(directive)}`, why);
