// Makes texts fit to be kept. Clients choose many of them, and must not choose what is recorded.
//
//   FT1. Two texts never become one.
//   FT2. A usual text stays as it is.

import { hash } from "node:crypto";

/** Databases keep neither NUL nor lone surrogates. */
const UNFIT = /[\0\p{Surrogate}]/u;
/** Also escapes that a text has itself, with the backslashes before them: the lookbehinds keep it linear. */
const ESCAPED = /(?<!\\)(\\*)([\0\p{Surrogate}]|(?<=\\)u[0-9a-f]{4})/gu;
/** Stands for an empty text, and is itself kept with a backslash before it. */
const EMPTY = "(empty)";
const AS_EMPTY = /^\\*\(empty\)$/;
const CUT = /… \[\d+ bytes, sha256 [0-9a-f]{64}\]$/;
/** More than the longest of those. */
const CUT_BYTES = 110;

/** The text of at most `maxBytes` bytes in UTF-8 that is kept in its place (FT1). */
export function fittingText(text: string, maxBytes: number): string {
  if (text === "") return EMPTY;
  const escaped = AS_EMPTY.test(text) ? `\\${text}` : escapedText(text);
  return Buffer.byteLength(escaped) > maxBytes || isCut(escaped) ? cutText(escaped, maxBytes) : escaped;
}

/** The kept text that a query means: a text that an event has, or one that was made to fit. */
export const askedText = (text: string, maxBytes: number): string =>
  text !== "" && !UNFIT.test(text) && Buffer.byteLength(text) <= maxBytes
    ? text
    : fittingText(text, maxBytes);

/** Well-formed Unicode without NUL, of the same meaning in a JSON string: `\u0000`. An odd number of backslashes begins an escape. */
export const escapedText = (text: string): string =>
  UNFIT.test(text) || text.includes("\\u")
    ? text.replace(ESCAPED, (_, slashes: string, what: string) =>
        UNFIT.test(what)
          ? `${slashes}${slashes}\\u${what.charCodeAt(0).toString(16).padStart(4, "0")}`
          : `${slashes}${slashes}${what}`,
      )
    : text;

export const isCut = (escaped: string): boolean => escaped.endsWith("]") && CUT.test(escaped);

/** The beginning of an escaped text, and the hash of the whole. */
export function cutText(escaped: string, maxBytes: number): string {
  const bytes = Buffer.from(escaped);
  let end = Math.min(bytes.length, maxBytes - CUT_BYTES);
  // Not within a character, nor within an escape.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const beginning = bytes.toString("utf8", 0, end).replace(/(?<!\\)\\+(?:u[0-9a-f]{0,3})?$/, "");
  return `${beginning}… [${bytes.length} bytes, sha256 ${hash("sha256", escaped)}]`;
}
