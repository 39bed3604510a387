import type { KeyObject } from "node:crypto";
import { type JwsAlgorithm, type JwsMethod, jwsAlgorithms } from "./jws-algorithm.js";

/** RFC 7518, section 3.3. */
const MIN_RSA_BITS = 2048;
const CURVE_NAMES: Readonly<Record<string, string>> = {
  prime256v1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
};

const all = Object.entries(jwsAlgorithms) as [JwsAlgorithm, JwsMethod][];
const fitting = (fits: (method: JwsMethod) => boolean): readonly JwsAlgorithm[] =>
  all.filter(([, method]) => fits(method)).map(([name]) => name);

/** The names of all algorithms, in the order of RFC 7518. */
export const algorithmNames: readonly JwsAlgorithm[] = all.map(([name]) => name);

/** The algorithms that `key` can verify, at least one. Returns a text if the key is unsuitable. */
export function algorithmsFor(key: KeyObject): readonly JwsAlgorithm[] | string {
  if (key.type === "secret") return forSecret(key.symmetricKeySize ?? 0);
  // A reader of a private key can sign: a verifier must not have it.
  if (key.type === "private")
    return "is a private key, which only the issuer may have: give the public one, as `openssl pkey -pubout` writes it";
  switch (key.asymmetricKeyType) {
    case "rsa":
      return rsaProblem(key) ?? fitting(({ family }) => family === "RSA" || family === "RSA-PSS");
    case "rsa-pss":
      return rsaProblem(key) ?? forPss(key);
    case "ec":
      return forCurve(key.asymmetricKeyDetails?.namedCurve ?? "");
    case "ed25519":
    case "ed448":
      return ["EdDSA"];
    default:
      return `is of the type ${key.asymmetricKeyType}, which signs no tokens: give an RSA, EC or Ed25519 key`;
  }
}

/** Short description of a key: "an EC key of P-256". */
export function keyText(key: KeyObject): string {
  if (key.type === "secret") return `a secret of ${key.symmetricKeySize} bytes`;
  if (key.asymmetricKeyType === "ec")
    return `an EC key of ${curveText(key.asymmetricKeyDetails?.namedCurve)}`;
  if (key.asymmetricKeyType === "rsa") return "an RSA key";
  return key.asymmetricKeyType === "rsa-pss" ? "an RSA-PSS key" : "an Ed25519 or Ed448 key";
}

/** Short description of the key for `alg`: "an EC key of P-256". */
export function wantedText(alg: JwsAlgorithm): string {
  const { family, hashBytes, curve }: JwsMethod = jwsAlgorithms[alg];
  if (family === "HMAC") return `a secret of at least ${hashBytes} bytes`;
  if (family === "ECDSA") return `an EC key of ${curveText(curve)}`;
  return family === "EdDSA" ? "an Ed25519 or Ed448 key" : "an RSA key";
}

const curveText = (name = "an unknown curve"): string => CURVE_NAMES[name] ?? name;

function forSecret(bytes: number): readonly JwsAlgorithm[] | string {
  const algorithms = fitting(({ family, hashBytes }) => family === "HMAC" && hashBytes <= bytes);
  if (algorithms.length > 0) return algorithms;
  return bytes === 0
    ? "is empty"
    : `has ${bytes} bytes: HS256 needs 32, HS384 48, HS512 64 (RFC 7518, section 3.2)`;
}

function forCurve(curve: string): readonly JwsAlgorithm[] | string {
  const algorithms = fitting((method) => method.curve === curve);
  return algorithms.length > 0
    ? algorithms
    : `is of the curve ${curve}: ES256 needs P-256, ES384 P-384, ES512 P-521`;
}

function rsaProblem(key: KeyObject): string | undefined {
  const { asymmetricKeyDetails: details } = key;
  const bits = details?.modulusLength ?? 0;
  if (bits < MIN_RSA_BITS)
    return `has ${bits} bits: an RSA key needs ${MIN_RSA_BITS} (RFC 7518, section 3.3)`;
  // With the exponent 1 every text is its own signature.
  const exponent = details?.publicExponent ?? 0n;
  if (exponent < 3n || exponent % 2n === 0n)
    return `has the public exponent ${exponent}: an odd one from 3 on is needed`;
  return isOfRoca(key) ? "can be factored (ROCA, CVE-2017-15361): make a new one" : undefined;
}

/** The primes of the ROCA fingerprint: a modulus of other origin passes with a probability of 2 to the -27. */
const PRIMES = [11n, 13n, 17n, 19n, 37n, 53n, 61n, 71n, 73n, 79n, 97n, 103n, 107n, 109n, 127n, 151n, 157n];

/** Made by an Infineon library (ROCA): its primes are powers of 65537 modulo many small primes. */
function isOfRoca(key: KeyObject): boolean {
  // node:crypto does not expose the modulus of a PSS key.
  if (key.asymmetricKeyType !== "rsa") return false;
  const { n = "" } = key.export({ format: "jwk" });
  const modulus = BigInt(`0x${Buffer.from(n, "base64url").toString("hex")}`);
  return PRIMES.every((prime) => {
    let power = 1n;
    do {
      if (power === modulus % prime) return true;
      power = (power * 65537n) % prime;
    } while (power !== 1n);
    return false;
  });
}

// A PSS key may be limited to one hash.
function forPss({ asymmetricKeyDetails: details }: KeyObject): readonly JwsAlgorithm[] | string {
  const { hashAlgorithm, mgf1HashAlgorithm, saltLength } = details ?? {};
  const algorithms = fitting(
    ({ family, hash, hashBytes }) =>
      family === "RSA-PSS" &&
      (hashAlgorithm ?? hash) === hash &&
      (mgf1HashAlgorithm ?? hash) === hash &&
      (saltLength ?? hashBytes) <= hashBytes,
  );
  return algorithms.length > 0
    ? algorithms
    : `is for PSS with ${hashAlgorithm}, ${mgf1HashAlgorithm} and a salt of ${saltLength} bytes, which no PS256, PS384 or PS512 is`;
}
