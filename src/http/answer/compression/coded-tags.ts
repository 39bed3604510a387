// Entity tags of compressed responses. A strong tag identifies bytes (RFC 9110, section 8.8.1), so the
// coding is appended to it. A weak tag would never match If-Match. Tags that a client sends back are
// mapped to the original.

import type { NativeRequest, NativeText } from "../../native/port.js";
import type { Coding } from "../../plan/compression-rules.js";

const STRONG_TAG = /(\r\netag: ")([^"\r]*)"/;

/** Matches weak tags too: proxies weaken tags, and these still match If-None-Match. */
const CODED = /(?:^|[,\t ])((?:W\/)?"[^"]*)\+(?:br|gzip)"/g;

const codedAs = (opaque: string, coding: Coding): string => `"${opaque}+${coding}"`;

export const withCodedTag = (lines: string, coding: Coding): string =>
  lines.replace(STRONG_TAG, (_, begin: string, opaque: string) => `${begin}${opaque}+${coding}"`);

/** A cheap test before the regular expression. */
export const mayHoldCodedTag = (tags: string): boolean => tags.includes('+br"') || tags.includes('+gzip"');

/** Adds the original of each coded tag. The coded tags stay, because a program's own tags may have the same suffix. */
export function withPlainTags(tags: string): string {
  const plain = [...tags.matchAll(CODED)].map(([, begin = ""]) => `${begin}"`);
  return [tags, ...plain].join(", ");
}

/** Header lines of a 304 with the tag that the client has cached (RFC 9110, section 15.4.5). */
export function withAskedTag(lines: string, asked: string, codings: readonly Coding[]): string {
  const [, , opaque] = STRONG_TAG.exec(lines) ?? [];
  if (opaque === undefined) return lines;
  const coding = codings.find((each) => asked.includes(codedAs(opaque, each)));
  return coding === undefined ? lines : withCodedTag(lines, coding);
}

/** Without If-Range: byte positions differ between codings. */
const CONDITIONS: ReadonlySet<string> = new Set(["if-none-match", "if-match"]);

/** The request as steps read it: with the tags of uncoded responses. */
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
