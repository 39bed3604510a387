// Masks secrets inside a text: a raw query or form, a header, JSON in a text, an address with a
// user. Secrets without a telling name or shape are not found.

import { REDACTED } from "../secrets/secret.js";
import { isSensitiveName } from "../secrets/sensitive-names.js";
import { offersProtocols, shownProtocols } from "./offered-protocols.js";

/** Cheap test: most texts cannot contain a secret. */
const SUSPICIOUS = /[=:]|eyJ|basic\s|bearer\s|PRIVATE KEY/i;

/** The value must have a digit or a capital after a small letter, which words of prose do not. */
const SCHEME = /\b([Bb]asic|[Bb]earer|BASIC|BEARER)(\s+)(?=[\w.~+/=-]*(?:\d|[a-z][A-Z]))[\w.~+/=-]{6,}/g;

/**
 * Two or three parts in base64url. The first one begins as `{"`, after other characters of the
 * same run, if any. The search starts only at a run that a dot ends: otherwise each `eyJ` of a
 * run would scan all of it.
 */
const JWT = /(?<![\w-])(?=[\w-]+\.)([\w-]*?)\beyJ[\w-]{4,}\.[\w-]*\.?[\w-]*/g;

const KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/gs;

/** `//user:password@` of a URL. */
const USER_INFO = /(:\/\/)[^\s/?#@]{1,4096}@/g;

/** The same for a text that was truncated before a possible `@`. */
const CUT_USER_INFO = /(:\/\/)[^\s/?#@]*$/;

/** The text with all recognised secrets masked. Linear time. */
export function withoutCredentials(text: string, isCut = false): string {
  if (!SUSPICIOUS.test(text)) return text;
  const shown = withoutPairs(text.replace(KEY, REDACTED))
    .replace(SCHEME, `$1$2${REDACTED}`)
    .replace(JWT, `$1${REDACTED}`)
    .replace(USER_INFO, `$1${REDACTED}@`);
  return isCut ? shown.replace(CUT_USER_INFO, `$1${REDACTED}`) : shown;
}

/** Separators of a name and its value in JSON, forms, headers and programs. */
const BETWEEN = /[=:]\s*/g;

/** Headers with values that extend to the end of the line. */
const LINE = /cookie|authori[sz]ation/i;

function withoutPairs(text: string): string {
  let shown = "";
  let from = 0;
  for (const { 0: between, index } of text.matchAll(BETWEEN)) {
    const begins = index + between.length;
    if (index < from || begins === text.length) continue;
    const name = decoded(nameBefore(text, index));
    const offers = offersProtocols(name);
    if (name === "" || !(offers || isSensitiveName(name))) continue;
    if (CLASS.test(name) && isAt(PROSE, text, index)) continue;
    const isHeader = offers || (between.startsWith(":") && LINE.test(name));
    const end = endOf(text, begins, isHeader && !isBefore(text, index, QUOTE));
    shown +=
      text.slice(from, begins) +
      (offers ? offered(text.slice(begins, end)) : openingOf(text, begins) + REDACTED);
    from = end;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** The quote or escape at the start of a value. */
const openingOf = (text: string, begins: number): string =>
  /^\\?["']?/.exec(text.slice(begins, begins + 2))?.[0] ?? "";

function offered(list: string): string {
  const opening = openingOf(list, 0);
  return opening + shownProtocols(list.slice(opening.length));
}

/** `LoadSession: the store failed`: a step or class and a message, not a name and a value. */
const CLASS = /^\p{Lu}\p{L}*\p{Ll}\p{Lu}\p{L}*$/u;
const PROSE = /: [a-z]+[ ,.]/y;

function isAt(form: RegExp, text: string, at: number): boolean {
  form.lastIndex = at;
  return form.test(text);
}

const BLANK = /\s/;
const QUOTE = /["']/;
const ESCAPE = /\\/;
const NAME = /[\p{L}\p{N}_.%[\]+-]/u;
const MAX_NAME = 128;
const MAX_BLANKS = 32;

/** The name that ends before `at`, without its quotes. */
function nameBefore(text: string, at: number): string {
  let end = at;
  while (at - end < MAX_BLANKS && isBefore(text, end, BLANK)) end -= 1;
  if (isBefore(text, end, QUOTE)) end -= 1;
  while (at - end < MAX_BLANKS && isBefore(text, end, ESCAPE)) end -= 1;
  let begin = end;
  while (end - begin < MAX_NAME && isBefore(text, begin, NAME)) begin -= 1;
  return text.slice(begin, end);
}

const isBefore = (text: string, at: number, sort: RegExp): boolean =>
  at > 0 && sort.test(text[at - 1] as string);

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}

const BARE = /[^\s&;,"'}\])]*/y;
const LINE_END = /[^\n\r]*/y;
const QUOTED = /"(?:[^"\\]|\\.)*|'(?:[^'\\]|\\.)*/sy;
/** JSON inside JSON: each escape has one more backslash. */
const QUOTED_TWICE = /\\"(?:[^"\\]|\\\\\\?.)*/sy;
/** The end of a list or an object needs a parser: masks to the end of the text. */
const EVERYTHING = /.*/sy;

/** Index of the end of the value that begins here. */
function endOf(text: string, begins: number, isLine: boolean): number {
  const form = formOf(text.slice(begins, begins + 2), isLine);
  form.lastIndex = begins;
  form.exec(text);
  return form.lastIndex;
}

function formOf(start: string, isLine: boolean): RegExp {
  const [first = ""] = start;
  if (first === "{" || first === "[") return EVERYTHING;
  if (isLine) return LINE_END;
  if (start === '\\"') return QUOTED_TWICE;
  if (first === '"' || first === "'") return QUOTED;
  return first === "\\" ? EVERYTHING : BARE;
}
