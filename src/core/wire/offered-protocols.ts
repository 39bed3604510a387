// Subprotocols that a handshake of WebSocket offers (RFC 6455, section 4.1). A browser can
// send no other header of its own there, so credentials are offered as if they were one:
// `bearer.<token>`, `ticket.<id>`, `access_token, <token>`. No text says by itself that it
// is no secret: shown is what a route of this process declares, and nothing else.

import { interned } from "../interned.js";
import { REDACTED } from "../secrets/secret.js";

const HEADER = /sec[\W_]?web[\W_]?socket[\W_]?protocols?\W*$/i;
const SHORTEST = "SecWebSocketProtocol".length;

/** True for the name of the header that a handshake offers them in, and for its key on a Bus. */
export const offersProtocols = (name: string): boolean => name.length >= SHORTEST && HEADER.test(name);

const declared = interned("DeclaredProtocols", () => new Set<string>());

/** Shows these names from now on, for as long as the process lives. */
export function declareProtocols(names: Iterable<string>): void {
  for (const name of names) declared.add(name);
}

/** The rest of a longer list is masked unread. */
const MAX_OFFERS = 64;

/** The list as it may be shown. */
export function shownProtocols(list: string): string {
  const offers = list.split(",", MAX_OFFERS + 1).map((one) => one.trim());
  const shown = offers.slice(0, MAX_OFFERS).map((offer) => (isShown(offer) ? offer : REDACTED));
  return [...shown, ...(offers.length > MAX_OFFERS ? [REDACTED] : [])].join(", ");
}

const isShown = (offer: string): boolean => offer === "" || offer === REDACTED || declared.has(offer);
