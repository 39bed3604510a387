import { createPublicKey, createSecretKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { Secret } from "#core/secrets/secret.js";
import { jsonObjectOfText } from "../strict-json.js";
import { isKid, MAX_KID_LENGTH, type ReadJwk, readJwk, type TokenKey } from "./jwk.js";
import { RemoteKeys, type RemoteKeysOptions } from "./jwks-remote-keys.js";
import { algorithmsFor, keyText } from "./key-fit.js";
import { StaticKeys } from "./static-keys.js";
import type { VerificationKeys } from "./verification-keys.js";

export interface KeyOptions {
  /** The `kid` of its tokens. A token with another kid is invalid; one without is verified. Default: the kid is ignored. */
  readonly keyId?: string;
}

type SecretBytes = string | Uint8Array;

// Start of a PEM block (RFC 7468, section 2).
const PEM = /-----BEGIN ([A-Z0-9 ]*)-----/g;
const PUBLIC_LABELS = ["PUBLIC KEY", "RSA PUBLIC KEY"];
const MAX_FILE_BYTES = 1_048_576;

/**
 * Key sources for a JwtVerifier. All except `url` validate their keys once, when called, and never
 * read them again. Each throws CONFIG_INVALID for a key that is missing, too weak, not for tokens,
 * or of another kind than requested.
 */
export const JwtKeys = {
  /** A secret for HS256 (32 bytes or more), HS384 (48) or HS512 (64). Text is used as UTF-8: decode base64 first. */
  secret(secret: SecretBytes | Secret<SecretBytes>, options: KeyOptions = {}): VerificationKeys {
    const call = "JwtKeys.secret(...)";
    return single(call, secretKey(call, secret instanceof Secret ? secret.reveal() : secret), options);
  },

  /** A public key in PEM: "-----BEGIN PUBLIC KEY-----". Private keys and certificates are refused. */
  pem(text: string, options: KeyOptions = {}): VerificationKeys {
    const call = "JwtKeys.pem(...)";
    return single(call, pemKey(call, text), options);
  },

  /** A file with a public key in PEM. */
  pemFile(path: string, options: KeyOptions = {}): VerificationKeys {
    const call = `JwtKeys.pemFile(${JSON.stringify(path)})`;
    return single(call, pemKey(call, fileText(call, path)), options);
  },

  /** A JSON Web Key (RFC 7517), as an object. */
  jwk(jwk: object): VerificationKeys {
    const call = "JwtKeys.jwk(...)";
    if (typeof jwk === "string")
      throw invalidOption(call, "the key is not an object, but a text: give JSON.parse(...) of it");
    const read = readJwk(jwk);
    if (read.kind !== "key") throw invalidOption(call, `the key ${read.reason}`);
    return new StaticKeys(call, keyText(read.key.key), [read.key]);
  },

  /**
   * A JWK set, as an object: `{ keys: [...] }`. Keys for other purposes, such as encryption, are
   * skipped. A token names its key by `kid`, unless the set has only one key for its algorithm.
   */
  jwkSet(set: object): VerificationKeys {
    return setOf("JwtKeys.jwkSet(...)", set);
  },

  /** A file with a JWK set, of at most 1 MiB. */
  jwkSetFile(path: string): VerificationKeys {
    const call = `JwtKeys.jwkSetFile(${JSON.stringify(path)})`;
    const set = jsonObjectOfText(fileText(call, path));
    if (typeof set === "string") throw invalidOption(call, `the file ${set}`);
    return setOf(call, set);
  },

  /**
   * The JWK set at an issuer's URL: loaded at first use, cached, and reloaded before it expires.
   * Tokens name their keys as with `jwkSet`.
   */
  url(url: string | URL, options?: RemoteKeysOptions): RemoteKeys {
    return new RemoteKeys(url, options);
  },
} as const;

function single(call: string, key: KeyObject, options: KeyOptions): VerificationKeys {
  requireKnownOptions(call, options, ["keyId"]);
  const { keyId } = options;
  if (keyId !== undefined && !isKid(keyId))
    throw invalidOption(call, `keyId must be a text of 1 to ${MAX_KID_LENGTH} characters`);
  const algorithms = algorithmsFor(key);
  if (typeof algorithms === "string") throw invalidOption(call, `the key ${algorithms}`);
  return new StaticKeys(call, keyText(key), [{ key, kid: keyId, algorithms }]);
}

function secretKey(call: string, secret: SecretBytes): KeyObject {
  if (typeof secret !== "string" && !(secret instanceof Uint8Array))
    throw invalidOption(call, `give the secret as text or bytes${unset(secret)}`);
  const text = typeof secret === "string" ? secret : Buffer.from(secret).toString("latin1");
  if (text.length === 0) throw invalidOption(call, "the secret is empty: is its variable set?");
  // hole: a public key is no secret: every reader could sign tokens.
  if (text.includes("-----BEGIN ")) throw invalidOption(call, "that is a PEM text: use JwtKeys.pem(...)");
  const what = publicForm(secret, text);
  if (what !== undefined)
    throw invalidOption(call, `that is ${what}, which every verifier has: ${GIVE_PUBLIC}`);
  if (typeof secret === "string" && text.trim() !== text)
    throw invalidOption(call, "the secret begins or ends with white space: trim it, or give its bytes");
  return createSecretKey(typeof secret === "string" ? Buffer.from(secret, "utf8") : secret);
}

const GIVE_PUBLIC = "give the secret, or the key to JwtKeys.jwk(JSON.parse(...)) or JwtKeys.pem(...)";

/** The name of the format, if the secret is a public key in another format than PEM. */
function publicForm(secret: SecretBytes, text: string): string | undefined {
  if (/^\s*\{/.test(text) && /"kty"\s*:/.test(text)) return "a JWK";
  if (/^\s*(?:ssh-|ecdsa-sha2-|sk-)/.test(text)) return "a key of OpenSSH";
  const bytes = typeof secret === "string" ? Buffer.from(text, "base64") : Buffer.from(secret);
  // DER of a public key begins with a SEQUENCE.
  if (bytes[0] !== 0x30) return undefined;
  const makers = [
    () => createPublicKey({ key: bytes, format: "der", type: "spki" }),
    () => createPublicKey({ key: bytes, format: "der", type: "pkcs1" }),
    () => new X509Certificate(bytes),
  ];
  return makers.some(succeeds) ? "a public key or a certificate in DER" : undefined;
}

function succeeds(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

function pemKey(call: string, text: string): KeyObject {
  if (typeof text !== "string")
    throw invalidOption(call, `give the key as text, in PEM${unset(text)}; of bytes give their toString()`);
  const labels = [...text.matchAll(PEM)].map(([, label]) => label as string);
  const [label] = labels;
  if (label === undefined)
    throw invalidOption(
      call,
      'there is no "-----BEGIN PUBLIC KEY-----" in the text: of a file give the path to JwtKeys.pemFile(...)',
    );
  if (labels.length > 1)
    throw invalidOption(
      call,
      `there are ${labels.length} PEM blocks in the text: give one key, or a JWK set`,
    );
  if (label.endsWith("PRIVATE KEY"))
    throw invalidOption(
      call,
      "that is a private key, which only the issuer may have: give the public one, as `openssl pkey -pubout` writes it",
    );
  if (label === "CERTIFICATE")
    throw invalidOption(
      call,
      "that is a certificate, and its dates and issuer would not be looked at: give its key, as `openssl x509 -pubkey -noout` writes it",
    );
  if (!PUBLIC_LABELS.includes(label))
    throw invalidOption(call, `that is a PEM of ${label}, not a PUBLIC KEY`);
  try {
    return createPublicKey(text);
  } catch (cause) {
    // Environment variables often contain "\n" for line breaks.
    const remedy = text.includes("\\n")
      ? String.raw`the lines end with a backslash and an n: give text.replaceAll("\\n", "\n")`
      : "what stands in the PEM is no public key: give it as `openssl pkey -pubout` writes it";
    throw invalidOption(call, remedy, cause);
  }
}

const unset = (value: unknown): string =>
  value === undefined ? ", it is undefined: is its variable set?" : "";

function setOf(call: string, set: object): VerificationKeys {
  const list: unknown = (set as { readonly keys?: unknown } | null)?.keys;
  if (typeof set === "string")
    throw invalidOption(call, "a JWK set has a list of keys, and that is a text: give JSON.parse(...) of it");
  if (!Array.isArray(list))
    throw invalidOption(
      call,
      "a JWK set has a list of keys, { keys: [...] }: one key alone is for JwtKeys.jwk",
    );
  const keys: TokenKey[] = [];
  for (const [index, read] of list.map(readJwk).entries()) {
    if (read.kind === "wrong") throw invalidOption(call, `key ${index + 1} of the set ${read.reason}`);
    if (read.kind === "key") keys.push(read.key);
  }
  if (keys.length === 0) throw invalidOption(call, noKeys(list.map(readJwk)));
  return new StaticKeys(call, `${keys.length} ${keys.length === 1 ? "key" : "keys"} of a JWK set`, keys);
}

const noKeys = (read: readonly ReadJwk[]): string =>
  read.length === 0
    ? "the set is empty: give it the issuer's keys"
    : `no key of the set verifies tokens: ${read.map((one, index) => (one.kind === "key" ? "" : `key ${index + 1} ${one.reason}`)).join("; ")}`;

function fileText(call: string, path: string): string {
  if (typeof path !== "string" || path === "") throw invalidOption(call, "give the path of a file");
  try {
    if (statSync(path).size <= MAX_FILE_BYTES) return readFileSync(path, "utf8");
  } catch (cause) {
    throw invalidOption(call, "the file cannot be read: give one that is there and may be read", cause);
  }
  throw invalidOption(call, `the file has more than ${MAX_FILE_BYTES} bytes: a set of keys is smaller`);
}
