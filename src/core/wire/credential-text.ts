// Secrets inside a text: a query or a form as it came, a header, JSON in a text, an
// address with who logs in. What has no name and no shape that says so is not found.

import { REDACTED } from "../secrets/secret.js";
import { isSensitiveName } from "../secrets/sensitive-names.js";
import { offersProtocols, shownProtocols } from "./offered-protocols.js";

/** Whether there can be any: most texts have none, and pay for no more than this. */
const SUSPICIOUS = /[=:]|eyJ|basic\s|bearer\s|PRIVATE KEY/i;

/** Of what follows, a word of the language has no digit and no capital behind a small letter. */
const SCHEME = /\b([Bb]asic|[Bb]earer|BASIC|BEARER)(\s+)(?=[\w.~+/=-]*(?:\d|[a-z][A-Z]))[\w.~+/=-]{6,}/g;

/**
 * Two or three parts in base64url, the first of which begins as `{"`, behind what else is
 * in the same run of characters. Looked for at the beginning of a run that a dot ends, or
 * each `eyJ` of a run would go through all of it.
 */
const JWT = /(?<![\w-])(?=[\w-]+\.)([\w-]*?)\beyJ[\w-]{4,}\.[\w-]*\.?[\w-]*/g;

const KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/gs;

/** `//user:password@` of a URL. */
const USER_INFO = /(:\/\/)[^\s/?#@]{1,4096}@/g;

/** The same where the text was cut before it could be seen whether there was an `@`. */
const CUT_USER_INFO = /(:\/\/)[^\s/?#@]*$/;

/** The same text with what seems to be a secret masked. Takes time in proportion to its length. */
export function withoutCredentials(text: string, isCut = false): string {
  if (!SUSPICIOUS.test(text)) return text;
  const shown = withoutPairs(text.replace(KEY, REDACTED))
    .replace(SCHEME, `$1$2${REDACTED}`)
    .replace(JWT, `$1${REDACTED}`)
    .replace(USER_INFO, `$1${REDACTED}@`);
  return isCut ? shown.replace(CUT_USER_INFO, `$1${REDACTED}`) : shown;
}

/** What stands between a name and its value, as JSON, forms, headers and programs write them. */
const BETWEEN = /[=:]\s*/g;

/** Headers whose value goes on to the end of the line. */
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

/** The quote or the escape that a value begins with. */
const openingOf = (text: string, begins: number): string =>
  /^\\?["']?/.exec(text.slice(begins, begins + 2))?.[0] ?? "";

function offered(list: string): string {
  const opening = openingOf(list, 0);
  return opening + shownProtocols(list.slice(opening.length));
}

/** `LoadSession: the store failed`: a step or a class, and what is said of it. */
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

/** The name that ends before `at`, without the quotes around it. */
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
/** In JSON in JSON, each escape has one more backslash. */
const QUOTED_TWICE = /\\"(?:[^"\\]|\\\\\\?.)*/sy;
/** Where a list or an object ends would take a parser: to the end of the text. */
const EVERYTHING = /.*/sy;

/** Where the value that begins here ends. */
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
