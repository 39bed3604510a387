// Entity tags of compressed responses. A strong tag identifies bytes (RFC 9110, section 8.8.1), so the
// coding is appended to it; a weak one would never match If-Match. A client that sends the tag
// back is understood.

import type { NativeRequest, NativeText } from "../../native/port.js";
import type { Coding } from "../../plan/compression-rules.js";

const STRONG_TAG = /(\r\netag: ")([^"\r]*)"/;

/** Weak ones too, as proxies make them: they match If-None-Match. */
const CODED = /(?:^|[,\t ])((?:W\/)?"[^"]*)\+(?:br|gzip)"/g;

const codedAs = (opaque: string, coding: Coding): string => `"${opaque}+${coding}"`;

export const withCodedTag = (lines: string, coding: Coding): string =>
  lines.replace(STRONG_TAG, (_, begin: string, opaque: string) => `${begin}${opaque}+${coding}"`);

/** Cheap; rarely true. */
export const mayHoldCodedTag = (tags: string): boolean => tags.includes('+br"') || tags.includes('+gzip"');

/** Adds the original of each coded tag. The coded ones stay: a program's own tags may end like that. */
export function withPlainTags(tags: string): string {
  const plain = [...tags.matchAll(CODED)].map(([, begin = ""]) => `${begin}"`);
  return [tags, ...plain].join(", ");
}

/** Lines of a 304, which must have the tag that the client keeps (RFC 9110, section 15.4.5). */
export function withAskedTag(lines: string, asked: string, codings: readonly Coding[]): string {
  const [, , opaque] = STRONG_TAG.exec(lines) ?? [];
  if (opaque === undefined) return lines;
  const coding = codings.find((each) => asked.includes(codedAs(opaque, each)));
  return coding === undefined ? lines : withCodedTag(lines, coding);
}

/** Not If-Range, which is about positions, and those differ. */
const CONDITIONS: ReadonlySet<string> = new Set(["if-none-match", "if-match"]);

/** The request as steps see it: with the tags of uncoded responses. */
export class PlainTagsRequest implements NativeRequest {
  readonly #request: NativeRequest;

  constructor(request: NativeRequest) {
    this.#request = request;
  }

  getUrl(): string {
    return this.#request.getUrl();
  }

  getQuery(): string | undefined {
    return this.#request.getQuery();
  }

  getHeader(lowerCaseName: NativeText): string {
    return read(lowerCaseName, this.#request.getHeader(lowerCaseName));
  }

  forEach(each: (name: string, value: string) => void): void {
    this.#request.forEach((name, value) => {
      each(name, read(name, value));
    });
  }
}

const read = (name: NativeText, value: string): string =>
  typeof name === "string" && CONDITIONS.has(name) ? withPlainTags(value) : value;
