// Masks secrets inside a text: a raw query or form, a header, JSON, YAML or XML in a text, an address with
// a user, the arguments of a program. Secrets without a telling name or shape are not found.

import { REDACTED } from "../secrets/secret.js";
import { isSensitiveName } from "../secrets/sensitive-names.js";
import { mayHaveIssued, SHAPE_SIGNS, withoutKeys, withoutShapes } from "./credential-shapes.js";
import { offersProtocols, shownProtocols } from "./offered-protocols.js";

/** Cheap test: most texts cannot contain a secret. */
const SUSPICIOUS = new RegExp(`[=:]|<[/\\w]|--[A-Za-z]| -pass|%3[Dd]|->|${SHAPE_SIGNS}`);

/** The text with all recognised secrets masked. Linear time. */
export function withoutCredentials(text: string, isCut = false): string {
  if (!SUSPICIOUS.test(text) && !mayHaveIssued(text)) return text;
  let shown = withoutPairs(withoutKeys(text));
  if (shown.includes(isCut ? "<" : "</")) shown = withoutElements(shown, isCut);
  if (shown.includes("-")) shown = shown.replace(FLAG, withoutFlag);
  return withoutShapes(shown, isCut);
}

/** `--password S`, where no word of prose follows the name. */
const FLAG = /(?<![\w-])(--?([A-Za-z][\w-]{1,64})\s+)("[^"]*"?|'[^']*'?|[^\s"'-][^\s"']*)/g;
const PROSE_WORD =
  /^(?:an?|and|are|as|before|but|by|can(?:not)?|does|flag|for|from|has|have|if|in|is|it|may|must|needs?|not|of|on|option|or|requires?|should|takes?|that|the|to|was|were|when|which|with)[.,;:]?$/;

const withoutFlag = (flag: string, begin: string, name: string, value: string): string =>
  isSensitiveName(name) && !PROSE_WORD.test(value) ? begin + REDACTED : flag;

const ELEMENT = /<((?:[\w.-]{1,64}:)?([\w.-]{1,128}))(?:\s[^<>]{0,4096})?>/g;
/** Searches for a closing tag that find none; beyond, the rest of the text is masked. */
const MAX_UNCLOSED = 64;

/** Masks what is inside `<password>...</password>`. In a whole text a tag that nothing closes is a placeholder. */
function withoutElements(text: string, isCut: boolean): string {
  let shown = "";
  let from = 0;
  let unclosed = 0;
  for (const { 0: tag, 1: name, 2: local, index } of text.matchAll(ELEMENT)) {
    const begins = index + tag.length;
    if (index < from || tag.endsWith("/>") || !isSensitiveName(local as string)) continue;
    const end = text.indexOf(`</${name}`, begins);
    unclosed += end < 0 ? 1 : 0;
    if (end < 0 && !isCut && unclosed <= MAX_UNCLOSED) continue;
    shown += text.slice(from, begins) + REDACTED;
    from = end < 0 ? text.length : end;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** Separators of a name and its value in JSON, forms, headers and programs. */
const BETWEEN = /(?:=>|->|:=|={1,3}|:|%(?:25)?3[Dd])\s*/g;

/** Headers with values that extend to the end of the line. */
const LINE = /cookie|authori[sz]ation/i;

function withoutPairs(text: string): string {
  let shown = "";
  let from = 0;
  for (const { 0: between, index } of text.matchAll(BETWEEN)) {
    const begins = index + between.length;
    if (index < from || begins === text.length) continue;
    const isRow = text[index - 1] === ")" && text[begins] === "(";
    const place = placeBefore(text, index);
    const name = isRow ? "" : decoded(text.slice(place.begin, place.end));
    const offers = offersProtocols(name);
    if (!(isRow ? namesSecretColumn(text, index) : isSecretPair(name, offers))) continue;
    if (CLASS.test(name) && isAt(PROSE, text, index)) continue;
    const isHeader = offers || (between.startsWith(":") && LINE.test(name));
    const end = isRow
      ? endOf(ROW_VALUE, text, begins)
      : valueEnd(text, { name: place.begin, at: index, begins }, isHeader);
    shown +=
      text.slice(from, begins) +
      (offers ? offered(text.slice(begins, end)) : openingOf(text, begins) + REDACTED);
    from = end;
  }
  return from === 0 ? text : shown + text.slice(from);
}

const RAW_LIST = /^raw(?:Headers|Trailers)$/;

const isSecretPair = (name: string, offers: boolean): boolean =>
  name !== "" && (offers || isSensitiveName(name) || RAW_LIST.test(name));

/** `Key (api_token)=(S) already exists`: the columns in brackets, at most 200 characters. */
function namesSecretColumn(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 200), index);
  const columns = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/.exec(before)?.[1] ?? "";
  return columns.split(/[^\p{L}\p{N}_-]+/u).some(isSensitiveName);
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

/** Of each ASCII character whether it may stand in a name: a table, because most characters are looked at here. */
const IN_NAME: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  NAME.test(String.fromCharCode(code)),
);

/** The name that ends before `at`, without its quotes. */
function placeBefore(text: string, at: number): { readonly begin: number; readonly end: number } {
  let end = at;
  while (at - end < MAX_BLANKS && isBefore(text, end, BLANK)) end -= 1;
  if (isBefore(text, end, QUOTE)) end -= 1;
  while (at - end < MAX_BLANKS && isBefore(text, end, ESCAPE)) end -= 1;
  let begin = end;
  while (end - begin < MAX_NAME && begin > 0 && isInName(text, begin - 1)) begin -= 1;
  return { begin, end };
}

const isInName = (text: string, at: number): boolean =>
  IN_NAME[text.charCodeAt(at)] ?? NAME.test(text[at] as string);

const isBefore = (text: string, at: number, sort: RegExp): boolean =>
  at > 0 && sort.test(text[at - 1] as string);

function decoded(name: string): string {
  if (!/[%+]/.test(name)) return name;
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}

const BARE = /[^\s&;,"'}\])<]*/y;
const LINE_END = /[^\n\r]*/y;
const QUOTED = /"(?:[^"\\]|\\.)*|'(?:[^'\\]|\\.)*/sy;
/** JSON inside JSON: each escape has one more backslash. */
const QUOTED_TWICE = /\\"(?:[^"\\]|\\\\\\?.)*/sy;
/** The end of a list or an object needs a parser: masks to the end of the text. */
const EVERYTHING = /.*/sy;
/** A value that PostgreSQL quotes, up to the words that follow it. */
const ROW_VALUE = /\([^\n]*?\)(?= \w|[."']?(?:\n|$))|[^\n]*/y;

/** Where a name begins, its separator stands and its value begins. */
interface Pair {
  readonly name: number;
  readonly at: number;
  readonly begins: number;
}

function valueEnd(text: string, pair: Pair, isHeader: boolean): number {
  const { at, begins } = pair;
  const isQuoted = isBefore(text, at, QUOTE);
  const indent = isQuoted ? undefined : indentOf(text, pair.name);
  const isLine = indent !== undefined && text.includes("\n");
  const end = isLine ? yamlEnd(text, pair, indent) : undefined;
  return end ?? endOf(formOf(text.slice(begins, begins + 2), isHeader && !isQuoted, isLine), text, begins);
}

function endOf(form: RegExp, text: string, begins: number): number {
  form.lastIndex = begins;
  form.exec(text);
  return form.lastIndex;
}

function formOf(start: string, isHeader: boolean, isLine: boolean): RegExp {
  const [first = ""] = start;
  if (first === "{" || first === "[") return EVERYTHING;
  if (isHeader) return LINE_END;
  if (first === '"' || first === "'") return QUOTED;
  if (isLine) return LINE_END;
  if (start === '\\"') return QUOTED_TWICE;
  return first === "\\" ? EVERYTHING : BARE;
}

const YAML_BEGIN = /(?:^|\n)([ \t]{0,64}(?:- {0,8})?)$/;

/** Columns before a name that is the first of its line; undefined for other names. */
const indentOf = (text: string, begin: number): number | undefined =>
  YAML_BEGIN.exec(text.slice(Math.max(0, begin - 76), begin))?.[1]?.length;

const BLOCK = /[|>][-+\d]{0,2}[ \t]*(?:#[^\n]*)?\r?\n/y;
const YAML_LINE = /([ \t]*)(- ?)?[^\n]*\n?/y;

/** The end of a block, or of a nested list or map, in YAML; undefined for another value. */
function yamlEnd(text: string, { at, begins }: Pair, indent: number): number | undefined {
  const isBlock = isAt(BLOCK, text, begins);
  if (!isBlock && !text.slice(at, begins).includes("\n")) return undefined;
  let end = isBlock ? BLOCK.lastIndex : text.lastIndexOf("\n", begins) + 1;
  while (end < text.length) {
    YAML_LINE.lastIndex = end;
    const [line = "", blanks = "", item] = YAML_LINE.exec(text) ?? [];
    const isInside = blanks.length > indent || (item !== undefined && blanks.length >= indent);
    if (line.trim() !== "" && !isInside) break;
    end = YAML_LINE.lastIndex;
  }
  const isBroken = text[end - 1] === "\n";
  return Math.max(isBroken ? end - (text[end - 2] === "\r" ? 2 : 1) : end, begins);
}
