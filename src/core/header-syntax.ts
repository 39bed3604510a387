import { FrameworkError } from "./errors.js";

// The engine writes what it is given: a CR or LF in a value would end the header
// and begin another, or the body (response splitting).

// RFC 9110, section 5.6.2.
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 9110, section 5.5, without obs-text: visible ASCII, space and tab.
const VALUE = /^[\t\x20-\x7e]*$/;

/** Whether a text may stand as the value of a response header: visible ASCII, spaces and tabs. */
export const isHeaderValue = (value: string): boolean => isJoined(value) && VALUE.test(value);

// Always so, or the value is none. Looking at a character makes one piece of a text that
// was put together, which an expression takes longer for.
const isJoined = (value: string): boolean => value.charCodeAt(0) !== 0x7f;

/** Whether a text is a token: what names of headers and cookies are made of. */
export const isToken = (name: string): boolean => TOKEN.test(name);

export function assertHeaderName(name: string): void {
  if (isToken(name)) return;
  throw new FrameworkError(
    "HEADER_INVALID",
    `Header name ${JSON.stringify(name)} is not a token: use letters, digits and hyphens`,
  );
}

export function assertHeaderValue(name: string, value: string): void {
  // An untyped caller's undefined would be tested as its name.
  if (typeof value === "string" && isHeaderValue(value)) return;
  throw new FrameworkError(
    "HEADER_INVALID",
    `The value of header '${name}' holds what may not stand there: use visible ASCII, spaces and tabs, and encode the rest`,
  );
}

/** A header as it goes on the wire, behind what is before it. Throws HEADER_INVALID. */
export function headerLine(name: string, value: string): string {
  assertHeaderName(name);
  assertHeaderValue(name, value);
  return `\r\n${name}: ${value}`;
}

/** The same of several, by their names in lower case. */
export const headerLines = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => headerLine(name.toLowerCase(), value))
    .join("");
