// JSON Web Keys (RFC 7517) as keys of node:crypto. Each member is validated first: node ignores use,
// key_ops, alg and the spelling of base64url, which distinguish keys.

import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { bytesOfBase64url } from "../base64url.js";
import type { JwsAlgorithm } from "./jws-algorithm.js";
import { algorithmNames, algorithmsFor } from "./key-fit.js";

/** A key that verifies tokens. */
export interface TokenKey {
  readonly key: KeyObject;
  readonly kid: string | undefined;
  /** Algorithms that its kind allows and its JWK does not exclude. */
  readonly algorithms: readonly JwsAlgorithm[];
}

/**
 * Classification of a JWK. `unrelated`: a key for another purpose, which a set may contain and
 * which is skipped (RFC 7517, section 5). `wrong`: no key, or one that must not be used.
 */
export type ReadJwk =
  | { readonly kind: "key"; readonly key: TokenKey }
  | { readonly kind: "unrelated"; readonly reason: string }
  | { readonly kind: "wrong"; readonly reason: string };

/** Maximum length of a `kid`. */
export const MAX_KID_LENGTH = 256;

const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ["n", "e"],
  EC: ["x", "y"],
  OKP: ["x"],
  oct: ["k"],
};
// RFC 7518, section 6: members of private keys.
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth"];
const CURVES = ["P-256", "P-384", "P-521", "Ed25519", "Ed448"];

const wrong = (reason: string): ReadJwk => ({ kind: "wrong", reason });
const unrelated = (reason: string): ReadJwk => ({ kind: "unrelated", reason });

/** Reads a JWK, alone or from a set. Never throws. Reads secrets (`oct`) too: the loader of a remote set refuses them. */
export function readJwk(jwk: unknown): ReadJwk {
  if (typeof jwk !== "object" || jwk === null || Array.isArray(jwk)) return wrong("is not an object");
  const { kty, crv, kid, alg } = jwk as Readonly<Record<string, unknown>>;
  const stranger = unrelatedReason(kty, crv, alg) ?? useReason(jwk);
  if (stranger !== undefined) return stranger;
  if (kid !== undefined && !isKid(kid))
    return wrong(`has a kid that is no text of 1 to ${MAX_KID_LENGTH} characters`);
  const key = keyObjectOf(jwk as JsonWebKey & Readonly<Record<string, unknown>>, kty as string);
  if (typeof key === "string") return wrong(key);
  const algorithms = algorithmsFor(key);
  if (typeof algorithms === "string") return wrong(algorithms);
  if (alg === undefined) return { kind: "key", key: { key, kid, algorithms } };
  if (!algorithms.includes(alg as JwsAlgorithm))
    return wrong(`says alg ${alg}, but is for ${algorithms.join(", ")}`);
  return { kind: "key", key: { key, kid, algorithms: [alg as JwsAlgorithm] } };
}

export const isKid = (kid: unknown): kid is string =>
  typeof kid === "string" && kid !== "" && kid.length <= MAX_KID_LENGTH;

function unrelatedReason(kty: unknown, crv: unknown, alg: unknown): ReadJwk | undefined {
  if (typeof kty !== "string") return wrong("has no kty");
  if (!Object.hasOwn(NUMBERS, kty)) return unrelated(`is of the kty ${JSON.stringify(kty)}`);
  if ((kty === "EC" || kty === "OKP") && !CURVES.includes(crv as string))
    return typeof crv === "string"
      ? unrelated(`is of the curve ${JSON.stringify(crv)}`)
      : wrong("has no crv");
  if (alg === undefined) return undefined;
  if (typeof alg !== "string") return wrong("has an alg that is no text");
  return (algorithmNames as readonly string[]).includes(alg)
    ? undefined
    : unrelated(`is for ${JSON.stringify(alg)}, not for ${algorithmNames.join(", ")}`);
}

// RFC 7517, sections 4.2 and 4.3: if both are present they must agree.
function useReason(jwk: object): ReadJwk | undefined {
  const { use, key_ops: operations } = jwk as Readonly<Record<string, unknown>>;
  if (operations !== undefined && !isTexts(operations))
    return wrong("has key_ops that are no list of different texts");
  const verifies = operations?.includes("verify");
  if (use === "sig" && verifies === false) return wrong("says use sig, but its key_ops have no verify");
  if (use !== undefined && use !== "sig" && verifies)
    return wrong(`says use ${JSON.stringify(use)}, but its key_ops have verify`);
  if (use !== undefined && use !== "sig") return unrelated(`has the use ${JSON.stringify(use)}`);
  return verifies === false ? unrelated("has key_ops without verify") : undefined;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === "string") &&
  new Set(value).size === value.length;

function keyObjectOf(jwk: JsonWebKey & Readonly<Record<string, unknown>>, kty: string): KeyObject | string {
  const secret = PRIVATE.find((name) => Object.hasOwn(jwk, name));
  if (secret !== undefined)
    return `is a private key (it has '${secret}'), which only the issuer may have: give the public one`;
  for (const name of NUMBERS[kty] ?? []) {
    const number = jwk[name];
    if (typeof number !== "string" || number === "") return `has no ${name}`;
    if (bytesOfBase64url(number) === undefined) return `has a ${name} that is not base64url without padding`;
  }
  try {
    return kty === "oct"
      ? createSecretKey(jwk.k as string, "base64url")
      : createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return "is no key: its numbers are not those of one";
  }
}
