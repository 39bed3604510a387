import { invalidOption } from "#core/invalid-option.js";
import { isLoopback } from "#core/net/loopback.js";

/**
 * Parses the URL of an authorisation server. Throws CONFIG_INVALID if it is not https (http is
 * allowed for loopback hosts), or contains a user or a fragment.
 */
export function endpointUrl(call: string, address: string | URL): URL {
  const url = parsed(call, address);
  const where = `${call}, ${placeOf(url)}`;
  if (url.username !== "" || url.password !== "")
    throw invalidOption(call, "the URL holds a user or a password: take them out");
  if (url.hash !== "") throw invalidOption(where, "the URL has a fragment: take it out");
  // hole: a machine in the middle could replace the keys, or read tokens.
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(hostOf(url)));
  if (!isSafe) throw invalidOption(where, "use https (http only to this machine itself)");
  return url;
}

/** The URL as shown in messages and drawings: without its query, which may contain a secret. */
export const placeOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

// The address is not shown: it may contain a password.
function parsed(call: string, address: string | URL): URL {
  try {
    return new URL(address);
  } catch {
    throw invalidOption(
      call,
      `its URL is ${address === undefined ? "undefined, is a variable not set? Give" : "none: give"} an absolute one, such as https://issuer.example/jwks`,
    );
  }
}

/** URL writes an IPv6 address in brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");
