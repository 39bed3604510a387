import { FrameworkError } from "../errors.js";

// The engine writes headers unchecked: a CR or LF in a value would end the header and begin
// another, or the body (response splitting).

// RFC 9110, section 5.6.2.
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 9110, section 5.5, without obs-text: visible ASCII, space and tab.
const VALUE = /^[\t\x20-\x7e]*$/;

/** True if a text is valid as the value of a response header: visible ASCII, spaces and tabs. */
export const isHeaderValue = (value: string): boolean => isJoined(value) && VALUE.test(value);

// Always true for valid values. Reading a character flattens a concatenated text, which the
// expression would do more slowly.
const isJoined = (value: string): boolean => value.charCodeAt(0) !== 0x7f;

export const isToken = (name: string): boolean => TOKEN.test(name);

export function assertHeaderName(name: string): void {
  if (isToken(name)) return;
  throw new FrameworkError(
    "HEADER_INVALID",
    `Header name ${JSON.stringify(name)} is not a token: use letters, digits and hyphens`,
  );
}

export function assertHeaderValue(name: string, value: string): void {
  // An untyped caller's undefined would be tested as the text "undefined".
  if (typeof value === "string" && isHeaderValue(value)) return;
  throw new FrameworkError(
    "HEADER_INVALID",
    `The value of header '${name}' holds what may not stand there: use visible ASCII, spaces and tabs, and encode the rest`,
  );
}

/** A header in wire form, preceded by CR LF. Throws HEADER_INVALID. */
export function headerLine(name: string, value: string): string {
  assertHeaderName(name);
  // hole: a line break would add headers, or a second response
  assertHeaderValue(name, value);
  return `\r\n${name}: ${value}`;
}

export const headerLines = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => headerLine(name.toLowerCase(), value))
    .join("");

/** Written by the ingress or the engine: a second one would contradict the first. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ["connection", "the ingress ends connections itself"],
  ["content-length", "it follows from the body"],
  ["date", "the engine writes it"],
  ["keep-alive", "the ingress ends connections itself"],
  ["trailer", "answers have no trailers"],
  ["transfer-encoding", "it follows from the body"],
  ["upgrade", "an answer is the end of its request"],
  ["x-request-id", "call requestIdLayer()"],
]);

/** Also reserved for guards: headers of every response do not know its body. */
const OF_A_BODY: ReadonlyMap<string, string> = new Map([
  ["content-encoding", "it follows from the body"],
  ["content-type", "it follows from the body"],
]);

/** The name in lower case. Throws HEADER_INVALID if it is invalid or reserved. */
export function settableHeader(given: string, by: "step" | "guard"): string {
  assertHeaderName(given);
  const name = given.toLowerCase();
  const why = RESERVED.get(name) ?? (by === "guard" ? OF_A_BODY.get(name) : undefined);
  if (why === undefined) return name;
  throw new FrameworkError("HEADER_INVALID", `Header '${name}' is not for a ${by} to set: ${why}`);
}
