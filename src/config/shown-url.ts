import { REDACTED } from "#core/secret.js";

const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;
const TELLING = /pass|pwd|secret|token|key|sig|auth/i;

/** A URL as it may be printed: without who logs in, and without query values that are named like secrets. */
export function shownUrl(url: string): string {
  const [, start, query] = /^([^?]*)(\?.*)?$/s.exec(url) ?? [];
  const bare = (start ?? "").replace(USER_INFO, `$1${REDACTED}@`);
  // A password with a '/' in it ends the authority early; what follows would show it.
  if (bare.replace(`${REDACTED}@`, "").includes("@")) return REDACTED;
  return bare + (query ?? "").replace(/([^?&=]*)=([^&]*)/g, hideTelling);
}

const hideTelling = (pair: string, name: string): string =>
  TELLING.test(name) || name.includes("%") ? `${name}=${REDACTED}` : pair;
