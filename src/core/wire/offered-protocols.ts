// Subprotocols of a WebSocket handshake (RFC 6455, section 4.1). A browser can set no other
// header there, so credentials are sent as subprotocols: `bearer.<token>`, `ticket.<id>`,
// `access_token, <token>`. A text does not show that it is no secret: only names that a route
// of this process declares are shown.

import { interned } from "../interned.js";
import { REDACTED } from "../secrets/secret.js";

const HEADER = /sec[\W_]?web[\W_]?socket[\W_]?protocols?\W*$/i;
const SHORTEST = "SecWebSocketProtocol".length;

/** True for the name of the handshake header, and for its key on a Bus. */
export const offersProtocols = (name: string): boolean => name.length >= SHORTEST && HEADER.test(name);

const declared = interned("DeclaredProtocols", () => new Set<string>());

/** Shows these names from now on, until the process ends. */
export function declareProtocols(names: Iterable<string>): void {
  for (const name of names) declared.add(name);
}

/** Names beyond this number are masked unread. */
const MAX_OFFERS = 64;

/** The list with undeclared names masked. */
export function shownProtocols(list: string): string {
  const offers = list.split(",", MAX_OFFERS + 1).map((one) => one.trim());
  const shown = offers.slice(0, MAX_OFFERS).map((offer) => (isShown(offer) ? offer : REDACTED));
  return [...shown, ...(offers.length > MAX_OFFERS ? [REDACTED] : [])].join(", ");
}

const isShown = (offer: string): boolean => offer === "" || offer === REDACTED || declared.has(offer);
