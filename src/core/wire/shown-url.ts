import { REDACTED } from "../secrets/secret.js";

const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;
const PARTS = /^([^?#]*)(\?[^#]*)?(#.*)?$/s;
const TELLING = /pass|pwd|secret|token|key|sig|auth/i;

/** A URL in printable form: without user, password and fragment, and with secret query values masked. */
export function shownUrl(url: string): string {
  const [, start = "", query = "", fragment] = PARTS.exec(url) ?? [];
  const bare = start.replace(USER_INFO, `$1${REDACTED}@`);
  // hole: a '/', '?' or '#' in a password ends the authority early and would expose the rest.
  if (url.replace(USER_INFO, "").includes("@")) return REDACTED;
  const pairs = query.replace(/([^?&=]*)=([^&]*)/g, hideTelling);
  return bare + pairs + (fragment === undefined ? "" : `#${REDACTED}`);
}

// Checks the whole pair: a ';' may separate further pairs.
const hideTelling = (pair: string, name: string): string =>
  TELLING.test(pair) || name.includes("%") ? `${name}=${REDACTED}` : pair;
