import { createHmac, randomBytes } from "node:crypto";

// Secret and of this process: addresses are few enough to try them all.
const KEY = randomBytes(32);

/** Stands for a client where its address and its identity are not shown. */
export const pseudonymOf = (client: string): string =>
  `client-${createHmac("sha256", KEY).update(client).digest("base64url").slice(0, 10)}`;
