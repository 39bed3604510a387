// Determines the length of a request body. Framing that a proxy could read differently is refused
// (request smuggling).

import { Refusal } from "../refusal/refusal.js";
import type { HeadFields } from "./head-fields.js";

export const CHUNKED = -1;

const ambiguous = (detail: string): Refusal => new Refusal("FRAMING_INVALID", { detail, ends: true });

const DUPLICATE_LENGTH = ambiguous("Content-Length stands there more than once");
const MALFORMED_LENGTH = ambiguous("Content-Length is not a number of digits");
const DUPLICATE_CODING = ambiguous("Transfer-Encoding stands there more than once");
const MALFORMED_CODING = ambiguous("Transfer-Encoding is malformed");
const BOTH = ambiguous("Content-Length and Transfer-Encoding exclude each other");
const OTHER_CODING = new Refusal("CODING_UNSUPPORTED", { detail: "Only 'chunked' is supported", ends: true });

// RFC 9112, section 7: tokens with parameters, separated by commas.
const CODINGS = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:\s*,\s*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/;

export function bodyLength(fields: HeadFields): number | Refusal {
  const { lengths, codings, contentLength, transferEncoding } = fields;
  // hole: a proxy that goes by the length would let a second request through
  if (lengths > 0 && codings > 0) return BOTH;
  if (codings > 0) return codings > 1 ? DUPLICATE_CODING : (refusedCoding(transferEncoding) ?? CHUNKED);
  // hole: a proxy that takes the other length would let a second request through
  if (lengths > 1) return DUPLICATE_LENGTH;
  if (lengths === 0) return 0;
  return lengthOf(contentLength) ?? MALFORMED_LENGTH;
}

/** At most 15 digits, so that the number is exact. Costs half of a regular expression and Number(). */
function lengthOf(text: string): number | undefined {
  if (text.length === 0 || text.length > 15) return undefined;
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    const digit = text.charCodeAt(i) - 0x30;
    // hole: "+5" or "0x5" would have another length than a proxy reads
    if (digit < 0 || digit > 9) return undefined;
    length = length * 10 + digit;
  }
  return length;
}

function refusedCoding(value: string): Refusal | undefined {
  const coding = value.toLowerCase();
  if (coding === "chunked") return undefined;
  // hole: a proxy that reads another coding would let a second request through
  if (!CODINGS.test(coding)) return MALFORMED_CODING;
  const names = coding.split(",").map((name) => name.trim());
  return names.every((name) => name === "chunked" || name === "identity") ? MALFORMED_CODING : OTHER_CODING;
}
