// Characters that a terminal or a reader of lines may act on: controls, line and
// paragraph separators, marks that turn the direction of text.
const ACTIVE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** The text with none of them: each is written as JSON writes it, and means the same inside a JSON string. */
export const visible = (text: string): string =>
  text.replace(
    ACTIVE,
    (character) => SHORT.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
