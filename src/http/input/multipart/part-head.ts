import { isInUtf8, parseContentType, parseParameters } from "#core/wire/content-type.js";
import { Refusal } from "../../refusal/refusal.js";
import { decodeText } from "../json-body.js";

export interface PartHead {
  readonly name: string;
  /** File name that the client sent; undefined for a field. */
  readonly filename: string | undefined;
  /** Content-Type that the client sent; "" if absent. */
  readonly sentType: string;
  /** The media type in lower case; undefined if absent or malformed. */
  readonly type: string | undefined;
}

// With /s, because U+2028 may occur in a file name.
const LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)$/s;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
const QUOTED = /"(?:[^"\\]|\\.)*"/gs;
const EMPTY_PARAMETER = /;[ \t]*(?:;|$)/;

export const malformed = (detail: string): Refusal => new Refusal("MULTIPART_INVALID", { detail });

const NOT_TEXT = malformed("The headers of a part are not valid UTF-8");
const MALFORMED_LINE = malformed("A header of a part is malformed");
const DUPLICATE = malformed("A header of a part stands there twice");
const NO_NAME = malformed("A part has no 'Content-Disposition: form-data' with a name");
const EXTENDED_ALONE = malformed("A part has a 'filename*' and no 'filename'");
const NESTED = malformed("A part is multipart itself");
const ENCODED = malformed("A part has a transfer encoding");
const CHARSET = malformed("A field is not in UTF-8");

/** `bytes` are the header lines without the last CRLF. */
export function parsePartHead(bytes: Buffer): PartHead | Refusal {
  const text = decodeText(bytes);
  if (text === undefined) return NOT_TEXT;
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n")) {
    const [, name, value = ""] = LINE.exec(line) ?? [];
    if (name === undefined || CONTROL.test(value)) return text === "" ? NO_NAME : MALFORMED_LINE;
    if (headers.has(name.toLowerCase())) return DUPLICATE;
    headers.set(name.toLowerCase(), withoutEndingBlanks(value));
  }
  const disposition = dispositionOf(headers.get("content-disposition") ?? "");
  const name = disposition?.get("name") ?? "";
  if (name === "") return NO_NAME;
  if (!/^(?:|7bit|8bit|binary)$/i.test(headers.get("content-transfer-encoding") ?? "")) return ENCODED;
  const sentType = headers.get("content-type") ?? "";
  if (/^multipart\//i.test(sentType)) return NESTED;
  const type = parseContentType(sentType);
  const filename = disposition?.get("filename");
  if (filename === undefined && disposition?.has("filename*")) return EXTENDED_ALONE;
  if (filename === undefined && sentType !== "" && !(type !== undefined && isInUtf8(type))) return CHARSET;
  return { name, filename, sentType, type: type?.type };
}

// trim() would remove more than blanks.
function withoutEndingBlanks(text: string): string {
  let end = text.length;
  while (text[end - 1] === " " || text[end - 1] === "\t") end -= 1;
  return text.slice(0, end);
}

// RFC 7578, section 4.2, forbids `filename*`. Beside `filename` it is ignored; without it the part is
// refused, because other parsers read a file. Empty parameters, which RFC 2183 forbids, make some
// parsers skip the part.
function dispositionOf(text: string): ReadonlyMap<string, string> | undefined {
  const [, type = "", rest = ""] = /^([^; \t]*)(.*)$/s.exec(text) ?? [];
  const parameters = type.toLowerCase() === "form-data" ? parseParameters(rest) : undefined;
  if (parameters === undefined || EMPTY_PARAMETER.test(rest.replace(QUOTED, ""))) return undefined;
  return parameters;
}
