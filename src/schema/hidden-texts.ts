// Texts that were masked in one run, by which they are found again where a step has put
// them under another name, or into a longer text.

import { REDACTED, Secret } from "#core/secret.js";
import { isSensitiveName } from "#core/sensitive-names.js";
import { basicCredentials, formsOf } from "./hidden-forms.js";
import { ownPartsOf } from "./own-parts.js";

/** A shorter one would be found in texts that have nothing to do with it. */
const MIN_TEXT = 6;
/** A longer one is found by its pieces of this length, as far as they are kept. */
const MAX_TEXT = 1024;
const MAX_PIECES = 8;
const MAX_TEXTS = 64;
const MAX_OF_ONE = 16;
const MAX_OF_COOKIES = 32;
/** Of others, beside those. */
const MAX_OTHERS = 64;
const MAX_COOKIES = 256;

/** What stands between the parts of a header with several: a cookie, a scheme and its token. */
const SEPARATORS = /[\s;,=&]+/;

export class HiddenTexts {
  readonly #texts: string[];
  /** Of them, those that were found elsewhere. */
  #others = 0;
  /** Of all, those that are kept. */
  #most = MAX_TEXTS;
  /** All that they may look like, the longest first: one may be a part of another. Made when a text is looked at. */
  #forms: readonly string[] | undefined;

  /** With those of another to begin with. */
  constructor(others?: HiddenTexts) {
    this.#texts = others === undefined ? [] : [...others.#texts];
    this.#forms = others === undefined ? undefined : others.#forms;
    this.#others = others === undefined ? 0 : others.#others;
    this.#most = MAX_TEXTS + this.#others;
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Whether there may have been more of them than there was room for. */
  get isFull(): boolean {
    return this.#others >= MAX_OTHERS || this.#texts.length - this.#others >= MAX_TEXTS;
  }

  /** Takes `more` texts at most until this is called again: what one source sends keeps no other's out. */
  allow(more: number): void {
    this.#most = Math.min(MAX_TEXTS + this.#others, this.#texts.length + more);
  }

  /**
   * Those of a cookie header: it, and its values. Names are no secrets. A browser sends more than
   * there is room for, so those that are named as secrets come first.
   */
  addCookies(header: string): void {
    const most = this.#most;
    this.#most = Math.min(most, this.#texts.length + MAX_OF_COOKIES);
    const pairs = header.split(";", MAX_COOKIES).map(nameAndValue);
    for (const isNamed of [true, false])
      for (const [name, value] of pairs)
        if (isSensitiveName(name) === isNamed) for (const text of cookieTexts(value)) this.#addOne(text);
    for (const piece of piecesOf(header)) this.#addOne(piece);
    this.#most = most;
  }

  add(text: string): void {
    const read = text.slice(0, MAX_TEXT);
    for (const part of [...piecesOf(text), ...read.split(SEPARATORS), ...basicCredentials(read)])
      this.#addOne(part);
  }

  /**
   * Those of another, which were taken apart when they were found. They have room of their own:
   * who sends them keeps none out that is found here.
   */
  addTexts(texts: readonly string[]): void {
    for (const text of texts) {
      if (this.#others >= MAX_OTHERS) return;
      if (!this.#push(text)) continue;
      this.#others += 1;
      this.#most += 1;
    }
  }

  #addOne(text: string): void {
    if (this.#texts.length < this.#most) this.#push(text);
  }

  /** Whether it was none of them. */
  #push(text: string): boolean {
    if (text.length < MIN_TEXT || text === REDACTED || this.#texts.includes(text)) return false;
    this.#texts.push(text);
    this.#forms = undefined;
    return true;
  }

  /** Those of one value that is masked: one that has many parts keeps no other's out. */
  addOf(value: unknown): void {
    const most = this.#most;
    this.#most = Math.min(most, this.#texts.length + MAX_OF_ONE);
    for (const text of textsIn(value)) this.add(text);
    this.#most = most;
  }

  /** Whether a number is one of them. */
  hasNumber(value: number | bigint): boolean {
    const digits = this.#texts.length === 0 ? undefined : digitsOf(value);
    return digits !== undefined && this.#texts.includes(digits);
  }

  /** The same text without any of them, encoded or not. */
  masked(text: string): string {
    if (this.#texts.length === 0 || text.length < MIN_TEXT) return text;
    this.#forms ??= longestFirst(this.#texts.flatMap(formsOf));
    let shown = text;
    for (const form of this.#forms)
      if (form.length <= shown.length && shown.includes(form)) shown = shown.replaceAll(form, REDACTED);
    return shown;
  }
}

/** In a text that is read as far as BEYOND a longer one is seen by its beginning. */
const longestFirst = (forms: readonly string[]): readonly string[] =>
  [...new Set(forms.map((form) => form.slice(0, BEYOND)))]
    .filter(({ length }) => length >= MIN_TEXT)
    .sort((a, b) => b.length - a.length);

/** Of a quoted value what is quoted (RFC 6265, section 4.1.1). */
function nameAndValue(pair: string): readonly [string, string] {
  const equals = pair.indexOf("=");
  const value = pair.slice(equals + 1, equals + 1 + MAX_TEXT).trim();
  return [pair.slice(0, Math.max(equals, 0)).trim(), value.replace(/^"(.*)"$/, "$1")];
}

/** A cookie's value as a step reads it (`cookie()` decodes it), and as it came where that is none of the other's forms. */
function cookieTexts(value: string): readonly string[] {
  try {
    const read = decodeURIComponent(value);
    return read.length >= MIN_TEXT && encodeURIComponent(read) === value ? [read] : [read, value];
  } catch {
    return [value];
  }
}

function* piecesOf(text: string): Iterable<string> {
  for (let at = 0; at < text.length && at < MAX_PIECES * MAX_TEXT; at += MAX_TEXT)
    yield text.slice(at, at + MAX_TEXT);
}

const MAX_DEPTH = 6;
const MAX_VALUES = 200;

/** A longer one takes seconds to become digits. */
export const MAX_BIGINT = 1n << 4096n;

/** A number as a text, without its sign; undefined where it has fewer digits than a text must have. */
function digitsOf(value: number | bigint): string | undefined {
  if (typeof value === "bigint" && (value >= MAX_BIGINT || value <= -MAX_BIGINT)) return undefined;
  const text = String(value < 0 ? -value : value);
  return text.replace(/\D/g, "").length < MIN_TEXT ? undefined : text;
}

/** The texts that a value holds, the first of them, and its numbers that are long enough to be found again. */
function* textsIn(value: unknown, depth = 0, left = { values: MAX_VALUES }): Iterable<string> {
  left.values -= 1;
  if (typeof value === "string") yield value;
  if (typeof value === "number" || typeof value === "bigint") {
    const digits = digitsOf(value);
    if (digits !== undefined) yield digits;
  }
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  for (const part of partsOf(value)) {
    if (left.values <= 0) return;
    yield* textsIn(part, depth + 1, left);
  }
}

function* partsOf(value: object): Iterable<unknown> {
  try {
    const parts = ownPartsOf(value);
    if (parts.kind === "text") yield parts.text;
    else if (parts.kind === "leaf") yield parts.leaf;
    else if (parts.kind === "secret") yield Secret.prototype.reveal.call(parts.secret);
    else if (parts.kind === "list") yield* parts.items;
    else if (parts.kind === "record") for (const [, member] of parts.members) yield member;
  } catch {
    // A prototype that throws, or what only looks like a Secret.
  }
}

/** How much of a text beyond its end has to be read so that none that begins in it is missed. */
export const BEYOND = MAX_TEXT;
