import { namedKey } from "../bus/bus-key.js";
import type { Json } from "../wire/json-text.js";

/** A caller, as a verifier has identified it. Plain data: it can be kept with a run. */
export interface IamIdentity {
  /** Unique within its issuer. */
  readonly subject: string;
  /** Issuer of the subject: the `iss` of a token. */
  readonly issuer?: string;
  readonly roles: readonly string[];
  /** Further facts by name. Has no prototype, or is read by `Object.hasOwn` only. */
  readonly claims: Readonly<Record<string, Json>>;
  /** Expiry in milliseconds since 1970: caches drop it by then. Undefined: valid until the next verification. */
  readonly expiresAt?: number;
}

/** The verified identity. Written by its verifier: `withIam`, a guard, a session. */
export const IamIdentity = namedKey<IamIdentity, "IamIdentity">("IamIdentity");

/** The unverified token as received: the text after "Bearer" in the Authorization header. Absent if none. */
export const IamToken = namedKey<string, "IamToken">("IamToken");
