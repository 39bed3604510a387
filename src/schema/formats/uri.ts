// The grammar of RFC 3986, appendix A.

import { isIPv6 } from "node:net";

const HEX = "%[0-9a-f]{2}";
/** Unreserved characters and the delimiters inside parts. */
const PLAIN = "\\w\\-.~!$&'()*+,;=";
const CHARACTER = `(?:[${PLAIN}:@]|${HEX})`;
const NO_COLON = `(?:[${PLAIN}@]|${HEX})`;
const SEGMENTS = `(?:/${CHARACTER}*)*`;
/** The group captures the text in brackets. */
const AUTHORITY = `//(?:(?:[${PLAIN}:]|${HEX})*@)?(?:\\[([^\\]]*)\\]|(?:[${PLAIN}]|${HEX})*)(?::\\d*)?`;
const TAIL = `(?:\\?(?:${CHARACTER}|[/?])*)?(?:#(?:${CHARACTER}|[/?])*)?$`;

const URI = new RegExp(
  `^[a-z][a-z0-9+\\-.]*:(?:${AUTHORITY}${SEGMENTS}|/?(?:${CHARACTER}+${SEGMENTS})?)${TAIL}`,
  "i",
);
const RELATIVE = new RegExp(
  `^(?:${AUTHORITY}${SEGMENTS}|/(?:${CHARACTER}+${SEGMENTS})?|(?:${NO_COLON}+${SEGMENTS})?)${TAIL}`,
  "i",
);
const FUTURE_ADDRESS = new RegExp(`^v[0-9a-f]+\\.[${PLAIN}:]+$`, "i");

const isOf = (grammar: RegExp, value: string): boolean => {
  const found = grammar.exec(value);
  const address = found?.[1];
  return found !== null && (address === undefined || isAddress(address));
};

const isAddress = (text: string): boolean =>
  (isIPv6(text) && !text.includes("%")) || FUTURE_ADDRESS.test(text);

export const isUri = (value: string): boolean => isOf(URI, value);
export const isUriReference = (value: string): boolean => isUri(value) || isOf(RELATIVE, value);
