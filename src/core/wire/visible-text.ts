// Characters that terminals and line readers may interpret: controls, line and paragraph
// separators, marks of text direction.
const ACTIVE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Escapes each of them as JSON does. The result has the same meaning inside a JSON string. */
export const visible = (text: string): string =>
  text.replace(
    ACTIVE,
    (character) => SHORT.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
