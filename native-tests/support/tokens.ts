import { createHmac, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

import { IamError, type IamIdentity, Secret } from "framework/core";
import {
  type JwsAlgorithm,
  JwtKeys,
  JwtVerifier,
  type JwtVerifierOptions,
  type VerificationKeys,
} from "framework/std";
import { CompactSign } from "jose";

export const ISSUER = "https://issuer.example";
export const AUDIENCE = "orders";
/** The instant at which tests verify, in seconds since 1970. */
export const NOW = 1_800_000_000;

/** The kind of a refusal, or the subject of an identity. */
export const kindOf = (answer: IamIdentity | IamError): string =>
  answer instanceof IamError ? answer.kind : answer.subject;

export const ALGORITHMS: readonly JwsAlgorithm[] = [
  "HS256",
  "HS384",
  "HS512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];

export interface SigningKey {
  /** What signs: a private key, or the secret. */
  readonly sign: KeyObject | Uint8Array;
  /** What verifies: absent for a secret. */
  readonly publicKey?: KeyObject;
  readonly keys: (keyId?: string) => VerificationKeys;
}

const made = new Map<string, SigningKey>();

/** A key pair or secret for `algorithm`, the same for a whole file. */
export const keyFor = (algorithm: JwsAlgorithm): SigningKey => madeOnce("", algorithm);

/** Another one of the same kind. */
export const otherKeyFor = (algorithm: JwsAlgorithm): SigningKey => madeOnce("other ", algorithm);

// One RSA key does for six algorithms, and takes long to make.
function madeOnce(prefix: string, algorithm: JwsAlgorithm): SigningKey {
  const kind = /^[RP]S/.test(algorithm) ? "RS" : algorithm;
  const key = made.get(prefix + kind) ?? makeKey(kind);
  made.set(prefix + kind, key);
  return key;
}

function makeKey(name: string): SigningKey {
  if (name.startsWith("HS")) {
    const secret = randomBytes(Number(name.slice(2)) / 8);
    return { sign: secret, keys: (keyId) => JwtKeys.secret(new Secret(secret), named(keyId)) };
  }
  const { publicKey, privateKey } = pairFor(name);
  const pem = publicKey.export({ type: "spki", format: "pem" }) as string;
  return { sign: privateKey, publicKey, keys: (keyId) => JwtKeys.pem(pem, named(keyId)) };
}

const named = (keyId: string | undefined) => (keyId === undefined ? {} : { keyId });

function pairFor(name: string) {
  if (name === "EdDSA") return generateKeyPairSync("ed25519");
  if (name === "RS") return generateKeyPairSync("rsa", { modulusLength: 2048 });
  const curves: Record<string, string> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };
  return generateKeyPairSync("ec", { namedCurve: curves[name] as string });
}

/** Claims with which a token is good at NOW. */
export const goodClaims = (change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: "alice",
  exp: NOW + 60,
  roles: ["admin"],
  ...change,
});

/** A token of these claims, or of a payload to the letter, signed by jose. */
export function signed(
  algorithm: JwsAlgorithm,
  payload: object | string | Uint8Array = goodClaims(),
  header: Readonly<Record<string, unknown>> = {},
  key: KeyObject | Uint8Array = keyFor(algorithm).sign,
): Promise<string> {
  const bytes =
    payload instanceof Uint8Array
      ? payload
      : Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
  return new CompactSign(bytes).setProtectedHeader({ alg: algorithm, ...header }).sign(key);
}

export const encoded = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A verifier of `algorithm` at NOW, and what it answers. */
export function verifierOf(algorithm: JwsAlgorithm, options: Partial<JwtVerifierOptions> = {}) {
  const verifier = new JwtVerifier({
    algorithm,
    keys: keyFor(algorithm).keys(),
    issuer: ISSUER,
    audience: AUDIENCE,
    now: () => NOW * 1000,
    ...options,
  });
  const verify = (token: string) =>
    verifier.verify(token, { signal: new AbortController().signal }) as IamIdentity | IamError;
  return { verifier, verify };
}

/** Signs two parts to the letter, whatever they are. */
export const hs256 = (
  header: string,
  payload: string,
  key: Uint8Array | string = keyFor("HS256").sign as Uint8Array,
) => {
  const input = `${header}.${payload}`;
  return `${input}.${createHmac("sha256", key).update(input, "utf8").digest("base64url")}`;
};
