import { namedKey } from "../bus/bus-key.js";
import type { Json } from "../wire/json-text.js";

/** Who sent a request, as a verifier has found. Plain data: it can be kept with a run. */
export interface IamIdentity {
  /** Unique within its issuer. */
  readonly subject: string;
  /** Who vouches for the subject: the `iss` of a token. */
  readonly issuer?: string;
  readonly roles: readonly string[];
  /** What else is known, by name. Without a prototype, or looked at by `Object.hasOwn` alone. */
  readonly claims: Readonly<Record<string, Json>>;
  /** When it ends, in milliseconds since 1970: nobody remembers it longer. Undefined: it is good until it is verified again. */
  readonly expiresAt?: number;
}

/** The verified identity, written by what has verified it: `withIam`, a guard, a session. */
export const IamIdentity = namedKey<IamIdentity, "IamIdentity">("IamIdentity");

/** The token of the request as it came, unverified: what follows "Bearer" in its Authorization header. Absent where there is none. */
export const IamToken = namedKey<string, "IamToken">("IamToken");
