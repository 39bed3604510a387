import { createHmac, randomBytes } from "node:crypto";

import { visible } from "#core/wire/visible-text.js";
import type { InspectorRole } from "../door/bearer-auth.js";

// Secret and of this process: addresses are few enough to try them all.
const KEY = randomBytes(32);

/** Stands for a client where its address and its identity are not shown. */
export const pseudonymOf = (client: string): string =>
  `client-${createHmac("sha256", KEY).update(client).digest("base64url").slice(0, 10)}`;

interface Client {
  readonly identity: string | undefined;
  readonly address: string | undefined;
}

/** What a role may see of the client of a run; undefined if nothing is known. */
export function shownClient(of: Client | null, role: InspectorRole): string | undefined {
  const client = of?.identity ?? of?.address;
  if (client === undefined) return undefined;
  return role === "operator" ? visible(client) : pseudonymOf(client);
}
