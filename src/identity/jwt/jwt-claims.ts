// The claims of a JWT (RFC 7519, section 4.1) that must hold to admit a caller. Expiry is checked
// last: only a token that is otherwise valid is reported as expired.

import { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import { shown } from "../shown-value.js";
import type { JsonMembers } from "../strict-json.js";

export interface ClaimRules {
  readonly issuer: string;
  readonly audiences: ReadonlySet<unknown>;
  readonly clockSkewMs: number;
  readonly maxAgeMs: number | undefined;
  /** The path of names to the list of roles. */
  readonly rolesPath: readonly string[];
}

// The last time that a Date can represent, in seconds.
const MAX_NUMERIC_DATE = 8.64e12;
const NO_ROLES: readonly string[] = [];

/** The identity of the token's subject. An IamError if a claim is missing, of a wrong type, or not as required. */
export function identityOf(claims: JsonMembers, rules: ClaimRules, nowMs: number): IamIdentity | IamError {
  const { iss, sub, aud } = claims;
  // hole: another issuer's tokens would pass
  if (iss !== rules.issuer) return invalid(`iss is ${shown(iss)}, not ${shown(rules.issuer)}`);
  // hole: a token for another service would pass
  if (!hasAudience(aud, rules.audiences))
    return invalid(`aud is ${shown(aud)}, which names another audience`);
  if (typeof sub !== "string" || sub === "") return invalid("sub is no text, or empty");
  if (!isOptionalText(claims["jti"])) return invalid("jti is no text");
  // Valid only with a proof of possession (RFC 9449, section 7; RFC 8705, section 3), which is not supported.
  if (claims["cnf"] !== undefined) return invalid("the token is bound to a key");
  const roles = rolesOf(claims, rules.rolesPath);
  if (roles === undefined) return invalid(`${rules.rolesPath.join(".")} is no list of texts`);
  const expiresAt = endOf(claims, rules, nowMs);
  if (typeof expiresAt !== "number") return expiresAt;
  return { subject: sub, issuer: iss, roles, claims, expiresAt };
}

const invalid = (reason: string): IamError => IamError.invalidToken(reason);

const isOptionalText = (value: unknown): boolean => value === undefined || typeof value === "string";

// One text, or a list of them (RFC 7519, section 4.1.3). The list may contain other audiences too.
export function hasAudience(aud: unknown, wanted: ReadonlySet<unknown>): boolean {
  if (!Array.isArray(aud)) return wanted.has(aud);
  return aud.every((one) => typeof one === "string") && aud.some((one) => wanted.has(one));
}

/** Undefined if the value is no list of texts: a single text could be one role or many. */
export function rolesOf(claims: JsonMembers, path: readonly string[]): readonly string[] | undefined {
  let value: unknown = claims;
  for (const name of path) {
    if (value === undefined) return NO_ROLES;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    // Objects have no prototype: see strict-json.ts.
    value = (value as JsonMembers)[name];
  }
  if (value === undefined) return NO_ROLES;
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
}

/** Expiry in milliseconds since 1970. An IamError if it has passed, or the token is not valid yet. */
function endOf(claims: JsonMembers, rules: ClaimRules, nowMs: number): number | IamError {
  const { exp, nbf, iat } = claims;
  const { clockSkewMs: skew, maxAgeMs } = rules;
  if (!isNumericDate(exp)) return invalid("exp is no NumericDate");
  if (nbf !== undefined && !isNumericDate(nbf)) return invalid("nbf is no NumericDate");
  if (iat !== undefined && !isNumericDate(iat)) return invalid("iat is no NumericDate");
  if (nbf !== undefined && nbf * 1000 > nowMs + skew) return invalid("nbf is still to come");
  // No RFC requires this check. Only a wrong clock or a forged age puts `iat` in the future.
  if (iat !== undefined && iat * 1000 > nowMs + skew) return invalid("iat is still to come");
  if (maxAgeMs !== undefined && iat === undefined)
    return invalid("iat is missing, which its age is counted from");
  const end = maxAgeMs === undefined ? exp * 1000 : Math.min(exp * 1000, (iat as number) * 1000 + maxAgeMs);
  // "On or after" (RFC 7519, section 4.1.4). Written so that a clock that returns NaN admits no caller.
  // hole: an expired token would pass
  return nowMs < end + skew ? end : IamError.expired();
}

/** Seconds since 1970, with an optional fraction (RFC 7519, section 2). A JSON number can be too large for a double. */
export const isNumericDate = (value: unknown): value is number =>
  typeof value === "number" && Math.abs(value) <= MAX_NUMERIC_DATE;
