// Texts that were masked in one run, by which they are found again where a step has put
// them under another name, or into a longer text.

import { REDACTED, Secret } from "#core/secret.js";
import { ownPartsOf } from "./own-parts.js";

/** A shorter one would be found in texts that have nothing to do with it. */
const MIN_TEXT = 6;
/** Of a longer one, its beginning. */
const MAX_TEXT = 1024;
const MAX_TEXTS = 64;

/** What stands between the parts of a header with several: a cookie, a scheme and its token. */
const SEPARATORS = /[\s;,=&]+/;

export class HiddenTexts {
  // The longest first: one may be a part of another.
  readonly #texts: string[] = [];

  add(text: string): void {
    for (const part of [text, ...text.slice(0, MAX_TEXT).split(SEPARATORS)]) this.#addOne(part);
  }

  #addOne(text: string): void {
    if (text.length < MIN_TEXT || this.#texts.length >= MAX_TEXTS) return;
    const kept = text.slice(0, MAX_TEXT);
    if (kept === REDACTED || this.#texts.includes(kept)) return;
    const at = this.#texts.findIndex(({ length }) => length < kept.length);
    this.#texts.splice(at < 0 ? this.#texts.length : at, 0, kept);
  }

  /** The same text without any of them. */
  masked(text: string): string {
    let shown = text;
    for (const hidden of this.#texts) if (shown.includes(hidden)) shown = shown.replaceAll(hidden, REDACTED);
    return shown;
  }
}

const MAX_DEPTH = 6;
const MAX_VALUES = 200;

/** The texts that a value holds, the first of them. */
export function* textsIn(value: unknown, depth = 0, left = { values: MAX_VALUES }): Iterable<string> {
  left.values -= 1;
  if (typeof value === "string") yield value;
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
    else if (parts.kind === "secret") yield Secret.prototype.reveal.call(parts.secret);
    else if (parts.kind === "list") yield* parts.items;
    else if (parts.kind === "record") for (const [, member] of parts.members) yield member;
  } catch {
    // A prototype that throws, or what only looks like a Secret.
  }
}

/** How much of a text beyond its end has to be read so that none that begins in it is missed. */
export const BEYOND = MAX_TEXT;
