// Entity tags of answers that are compressed. A strong tag says that the bytes are the same
// (RFC 9110, section 8.8.1), and compressed they are others; a weak one would fit, and could
// never again be the condition of a change: If-Match compares strongly. So a strong tag gets
// the coding behind it, and a client that brings it back is understood.

import type { Coding } from "../accept-encoding.js";

const STRONG_TAG = /(\r\netag: ")([^"\r]*)"/;

/** Weak ones too, which a proxy made of them: for If-None-Match they are the same, for If-Match none. */
const CODED = /(?:^|[,\t ])((?:W\/)?"[^"]*)\+(?:br|gzip)"/g;

const codedAs = (opaque: string, coding: Coding): string => `"${opaque}+${coding}"`;

/** The header lines of an answer, its strong tag being that of the coded body. */
export const withCodedTag = (lines: string, coding: Coding): string =>
  lines.replace(STRONG_TAG, (_, begin: string, opaque: string) => `${begin}${opaque}+${coding}"`);

/** Whether a list of tags may hold one that has been coded: told by a look, and mostly not so. */
export const mayHoldCodedTag = (tags: string): boolean => tags.includes('+br"') || tags.includes('+gzip"');

/**
 * The list with the tag that each coded one was made of beside it. It stays there itself: a
 * program may have tags of its own that end like that.
 */
export function withPlainTags(tags: string): string {
  const plain = [...tags.matchAll(CODED)].map(([, begin = ""]) => `${begin}"`);
  return [tags, ...plain].join(", ");
}

/**
 * The lines of a 304. It has to have the tag of what the client keeps (RFC 9110, section
 * 15.4.5), which the client has just said: of several the one that it would be sent now.
 */
export function withAskedTag(lines: string, asked: string, codings: readonly Coding[]): string {
  const [, , opaque] = STRONG_TAG.exec(lines) ?? [];
  if (opaque === undefined) return lines;
  const coding = codings.find((each) => asked.includes(codedAs(opaque, each)));
  return coding === undefined ? lines : withCodedTag(lines, coding);
}
