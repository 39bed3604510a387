// Which answers grow smaller, and which must stay as they are, by their header lines.

import { mediaTypeOf } from "#core/content-type.js";

const LIKE_TEXT =
  /^(?:text\/.+|.+\+(?:json|xml|text|yaml)|application\/(?:json|javascript|ecmascript|x-javascript|xml|xml-dtd|ndjson|x-ndjson|jsonl|json-seq|yaml|x-yaml|toml|sql|rtf|graphql|wasm|x-www-form-urlencoded)|font\/(?:ttf|otf|collection)|image\/(?:bmp|x-icon|vnd\.microsoft\.icon))$/;

/** Events have to arrive when they happen; what is refused costs no more than it has to. */
const LEFT_ALONE: ReadonlySet<string> = new Set(["text/event-stream", "application/problem+json"]);

/** Whether a body of this content type is worth it. Images, sound, films and archives are compressed already. */
export function isCompressible(contentType: string, more: readonly string[] = []): boolean {
  const type = mediaTypeOf(contentType);
  if (type === undefined || LEFT_ALONE.has(type)) return false;
  return LIKE_TEXT.test(type) || more.includes(type);
}

// What has been coded before (RFC 9110, section 8.4), what is a part of a whole (section
// 14.4), and what says how the bytes of the body add up (RFC 9530).
const UNCHANGEABLE = /\r\n(?:content-encoding|content-range|content-digest|repr-digest|content-md5): /;

const NO_TRANSFORM = /\r\ncache-control: [^\r]*\bno-transform\b/i;

const TYPE = /\r\ncontent-type: ([^\r]*)/;

/** Whether an answer with such header lines has to stay as it is, whatever its type. */
export const forbidsCoding = (lines: string): boolean =>
  lines !== "" && (UNCHANGEABLE.test(lines) || NO_TRANSFORM.test(lines));

/** Whether a client's wish may decide how an answer with this status and these lines is sent. */
export function isCodable(status: number, lines: string, types: readonly string[]): boolean {
  // A part has positions in the whole; the others have no body.
  if (status < 200 || status === 204 || status === 205 || status === 206 || status === 304) return false;
  const [, type = ""] = TYPE.exec(lines) ?? [];
  return isCompressible(type, types) && !forbidsCoding(lines);
}
