import { constants, createHmac, KeyObject, timingSafeEqual, verify } from "node:crypto";
import { FrameworkError } from "#core/errors.js";
import { type JwsAlgorithm, type JwsMethod, jwsAlgorithms } from "./jws-algorithm.js";
import { algorithmsFor, keyText, wantedText } from "./key-fit.js";

/** True if `signature` is the key's signature of `input`, which is ASCII. */
export type SignatureCheck = (input: string, signature: Buffer) => boolean;

/** The checks of one algorithm, made once for each key. */
export class SignatureChecks {
  readonly #algorithm: JwsAlgorithm;
  readonly #checks = new WeakMap<KeyObject, SignatureCheck>();

  constructor(algorithm: JwsAlgorithm) {
    this.#algorithm = algorithm;
  }

  /** Throws CONFIG_INVALID for a key of another algorithm: a key source must not return one. */
  of(key: KeyObject): SignatureCheck {
    const known = this.#checks.get(key);
    if (known !== undefined) return known;
    // hole: a weak or foreign key would be used
    requireFit(this.#algorithm, key);
    const check = checkOf(jwsAlgorithms[this.#algorithm], key);
    this.#checks.set(key, check);
    return check;
  }
}

function requireFit(algorithm: JwsAlgorithm, key: KeyObject): void {
  const invalid = (problem: string) =>
    new FrameworkError("CONFIG_INVALID", `The keys of a JwtVerifier answered ${problem} for ${algorithm}`);
  if (!(key instanceof KeyObject)) throw invalid("something that is no KeyObject");
  const algorithms = algorithmsFor(key);
  if (typeof algorithms === "string") throw invalid(`a key that ${algorithms}`);
  if (!algorithms.includes(algorithm)) throw invalid(`${keyText(key)}, which needs ${wantedText(algorithm)}`);
}

function checkOf({ family, hash, hashBytes, signatureBytes }: JwsMethod, key: KeyObject): SignatureCheck {
  if (family === "HMAC") {
    return (input, signature) =>
      // The length is no secret: it follows from the algorithm.
      signature.length === hashBytes &&
      timingSafeEqual(
        createHmac(hash as string, key)
          .update(input, "latin1")
          .digest(),
        signature,
      );
  }
  const options = optionsFor(family, key, hashBytes);
  return (input, signature) =>
    (signatureBytes === undefined || signature.length === signatureBytes) &&
    verify(hash ?? null, Buffer.from(input, "latin1"), options, signature);
}

function optionsFor(family: JwsMethod["family"], key: KeyObject, saltLength: number) {
  // Two numbers of fixed length, concatenated (RFC 7518, section 3.4): never DER.
  if (family === "ECDSA") return { key, dsaEncoding: "ieee-p1363" } as const;
  // The salt has the length of the hash (RFC 7518, section 3.5). Node would accept any length.
  if (family === "RSA-PSS") return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  return family === "RSA" ? { key, padding: constants.RSA_PKCS1_PADDING } : { key };
}
