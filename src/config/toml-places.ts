// Positions of the keys in a TOML document. The parser reports positions of syntax errors only, so
// this scans the parsed text again: headers, keys, and values only to find their ends.

import { tomlParser } from "./toml-parser.js";

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** By `placeKey(path)`: the first position of the key, table or inline key. */
export type Places = ReadonlyMap<string, Place>;

export const placeKey = (path: readonly string[]): string => JSON.stringify(path);

const BARE = /[A-Za-z0-9_-]+/y;
/** A key in quotes, which is on one line. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/y;
const BLANK = /[ \t]*/y;
/** Blanks, line ends and comments. */
const VOID = /(?:[ \t\r\n]|#[^\n]*)*/y;
const STRING =
  /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}|'''(?:[^']|'(?!''))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
/** Numbers, booleans and dates. */
const ATOM = /[^,\]}#\r\n]*/y;

export function tomlPlaces(source: string): Places {
  return new Walk(source).document().places;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A key in the text: with its value, or as the header of a table. */
export interface WrittenKey extends Span {
  readonly kind: "header" | "pair" | "inline";
  /** Includes the path of its table. */
  readonly path: readonly string[];
  /** Positions of its own parts, the last ones of `path`. */
  readonly parts: readonly Span[];
}

/** All keys of a document that the parser has accepted, in order. */
export function tomlKeys(source: string): readonly WrittenKey[] {
  return new Walk(source).document().keys;
}

class Walk {
  readonly #source: string;
  readonly places = new Map<string, Place>();
  readonly keys: WrittenKey[] = [];
  #at = 0;
  // Positions are read in order, so that lines are counted once.
  #line = 1;
  #lineStart = 0;
  #counted = 0;

  constructor(source: string) {
    this.#source = source;
  }

  document(): this {
    if (this.#source.startsWith("\ufeff")) this.#at = this.#lineStart = 1;
    let table: readonly string[] = [];
    for (this.#take(VOID); this.#at < this.#source.length; this.#take(VOID)) {
      if (this.#is("[")) table = this.#header();
      else this.#pair(table, "pair");
    }
    return this;
  }

  #header(): readonly string[] {
    const start = this.#at;
    while (this.#is("[")) this.#at += 1;
    const { path, parts } = this.#key([], start);
    while (this.#is("]")) this.#at += 1;
    this.keys.push({ kind: "header", path, parts, start, end: this.#at });
    return path;
  }

  #pair(table: readonly string[], kind: "pair" | "inline"): void {
    const start = this.#at;
    const { path, parts } = this.#key(table, start);
    this.#at += "=".length;
    this.#take(BLANK);
    this.#value(path);
    this.keys.push({ kind, path, parts, start, end: this.#at });
  }

  /** Reads a dotted key and notes its position, and those of the tables that it implies. */
  #key(table: readonly string[], start: number): Pick<WrittenKey, "path" | "parts"> {
    const place = this.#placeOf(start);
    const parts: Span[] = [];
    let path = table;
    for (;;) {
      this.#take(BLANK);
      const from = this.#at;
      const quoted = this.#take(QUOTED);
      path = [...path, quoted === "" ? this.#take(BARE) : unquoted(quoted)];
      parts.push({ start: from, end: this.#at });
      const name = placeKey(path);
      if (!this.places.has(name)) this.places.set(name, place);
      this.#take(BLANK);
      if (!this.#is(".")) return { path, parts };
      this.#at += 1;
    }
  }

  #value(path: readonly string[]): void {
    if (this.#is("[")) this.#items("]", () => this.#value(path));
    else if (this.#is("{")) this.#items("}", () => this.#pair(path, "inline"));
    else if (this.#take(STRING) === "") this.#take(ATOM);
  }

  #items(end: string, item: () => void): void {
    this.#at += 1;
    for (this.#take(VOID); !this.#is(end); this.#take(VOID)) {
      item();
      this.#take(VOID);
      if (this.#is(",")) this.#at += 1;
    }
    this.#at += 1;
  }

  #is(character: string): boolean {
    return this.#source[this.#at] === character;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken] = pattern.exec(this.#source) ?? [""];
    this.#at += taken.length;
    return taken;
  }

  #placeOf(offset: number): Place {
    for (; this.#counted < offset; this.#counted += 1) {
      if (this.#source[this.#counted] !== "\n") continue;
      this.#line += 1;
      this.#lineStart = this.#counted + 1;
    }
    return Object.freeze({ line: this.#line, column: offset - this.#lineStart + 1 });
  }
}

// Escapes in a key are rare: the parser decodes them.
const unquoted = (quoted: string): string =>
  quoted.includes("\\") ? (tomlParser().parse(`x = ${quoted}`)["x"] as string) : quoted.slice(1, -1);
