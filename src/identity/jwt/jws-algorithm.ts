/** A signature algorithm, by its name in `alg` (RFC 7518, section 3.1; RFC 8037, section 3.1). */
export type JwsAlgorithm = keyof typeof jwsAlgorithms;

/** Requirements of an algorithm for a key, and its parameters for `node:crypto`. */
export interface JwsMethod {
  readonly family: "HMAC" | "RSA" | "RSA-PSS" | "ECDSA" | "EdDSA";
  /** Name in node:crypto. EdDSA has a built-in hash. */
  readonly hash: "sha256" | "sha384" | "sha512" | undefined;
  /** Bytes of the hash: the minimum length of a secret (RFC 7518, section 3.2). */
  readonly hashBytes: number;
  /** ECDSA: the only allowed curve (RFC 7518, section 3.4), by its OpenSSL name. */
  readonly curve?: string;
  /** Bytes of a signature if fixed. RSA: the length of the modulus. EdDSA: depends on the curve. */
  readonly signatureBytes?: number;
}

const hmac = (hash: "sha256" | "sha384" | "sha512", hashBytes: number): JwsMethod => ({
  family: "HMAC",
  hash,
  hashBytes,
  signatureBytes: hashBytes,
});

const rsa = (
  family: "RSA" | "RSA-PSS",
  hash: "sha256" | "sha384" | "sha512",
  hashBytes: number,
): JwsMethod => ({ family, hash, hashBytes });

const ecdsa = (
  hash: "sha256" | "sha384" | "sha512",
  hashBytes: number,
  curve: string,
  signatureBytes: number,
): JwsMethod => ({ family: "ECDSA", hash, hashBytes, curve, signatureBytes });

export const jwsAlgorithms = {
  HS256: hmac("sha256", 32),
  HS384: hmac("sha384", 48),
  HS512: hmac("sha512", 64),
  RS256: rsa("RSA", "sha256", 32),
  RS384: rsa("RSA", "sha384", 48),
  RS512: rsa("RSA", "sha512", 64),
  PS256: rsa("RSA-PSS", "sha256", 32),
  PS384: rsa("RSA-PSS", "sha384", 48),
  PS512: rsa("RSA-PSS", "sha512", 64),
  ES256: ecdsa("sha256", 32, "prime256v1", 64),
  ES384: ecdsa("sha384", 48, "secp384r1", 96),
  ES512: ecdsa("sha512", 64, "secp521r1", 132),
  EdDSA: { family: "EdDSA", hash: undefined, hashBytes: 0 } as JwsMethod,
} as const;
