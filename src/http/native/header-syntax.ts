import { FrameworkError } from "#core/errors.js";

// The engine writes what it is given: a CR or LF in a value would end the header
// and begin another, or the body (response splitting).

// RFC 9110, section 5.6.2.
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// RFC 9110, section 5.5, without obs-text: visible ASCII, space and tab.
const VALUE = /^[\t\x20-\x7e]*$/;

export function assertHeaderName(name: string): void {
  if (NAME.test(name)) return;
  throw new FrameworkError(
    "HEADER_INVALID",
    `Header name ${JSON.stringify(name)} is not a token: use letters, digits and hyphens`,
  );
}

export function assertHeaderValue(name: string, value: string): void {
  if (VALUE.test(value)) return;
  throw new FrameworkError(
    "HEADER_INVALID",
    `The value of header '${name}' holds what may not stand there: use visible ASCII, spaces and tabs, and encode the rest`,
  );
}
