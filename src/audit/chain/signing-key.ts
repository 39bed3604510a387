// Ed25519 keys of checkpoints. A private key is a PEM file that only its owner can read. Checkpoints
// name a public key by its id: the SHA-256 of its SPKI, truncated to 32 digits.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { readFileSync, statSync } from "node:fs";

import { FrameworkError } from "#core/errors.js";

export interface AuditPublicKey {
  readonly id: string;
  /** SPKI in base64, as it stands in a PEM file. */
  readonly spki: string;
}

export interface AuditSigningKey extends AuditPublicKey {
  /** Signs a text. Returns 64 bytes as base64url. */
  readonly sign: (text: string) => string;
}

/** Both as PEM. */
export function generateSigningKey(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

/** The private key of a file. Throws AUDIT_KEY_INVALID. */
export function readSigningKey(file: string): AuditSigningKey {
  const pem = readKeyFile(file);
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) !== 0)
    throw invalid(file, `other users may read it (mode ${mode.toString(8)}): run "chmod 600 ${file}"`);
  return signingKey(pem, file);
}

/** From a PEM text. `shown` names it in errors. */
export function signingKey(pem: string, shown = "the signing key"): AuditSigningKey {
  if (/PUBLIC KEY-----/.test(pem)) throw invalid(shown, "it is a public key: signing needs the private one");
  const key = requireEd25519(shown, () => createPrivateKey(pem));
  const { id, spki } = publicKeyOf(createPublicKey(key));
  return {
    ...{ id, spki },
    sign: (text) => sign(null, Buffer.from(text), key).toString("base64url"),
  };
}

/** The public keys of a file: one or more PEM blocks. Throws AUDIT_KEY_INVALID. */
export const readPublicKeys = (file: string): readonly AuditPublicKey[] =>
  publicKeys(readKeyFile(file), file);

/** From a PEM text. `shown` names it in errors. */
export function publicKeys(pem: string, shown = "the public keys"): readonly AuditPublicKey[] {
  if (/PRIVATE KEY-----/.test(pem)) throw invalid(shown, "it is a private key: give the public one");
  const blocks = pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  if (blocks.length === 0) throw invalid(shown, "it is no PEM of public keys");
  return blocks.map((block) => publicKeyOf(requireEd25519(shown, () => createPublicKey(block))));
}

/** A key from a checkpoint; undefined if invalid. */
export function publicKeyIn(spki: string): AuditPublicKey | undefined {
  try {
    const key = keyObject(spki);
    return key.asymmetricKeyType === "ed25519" ? publicKeyOf(key) : undefined;
  } catch {
    return undefined;
  }
}

export function isSignedBy({ spki }: AuditPublicKey, text: string, signature: string): boolean {
  return verify(null, Buffer.from(text), keyObject(spki), Buffer.from(signature, "base64url"));
}

const keyObject = (spki: string): KeyObject =>
  createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" });

function publicKeyOf(key: KeyObject): AuditPublicKey {
  const der = key.export({ type: "spki", format: "der" });
  return {
    id: createHash("sha256").update(der).digest("hex").slice(0, 32),
    spki: der.toString("base64"),
  };
}

function requireEd25519(shown: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw invalid(shown, "it is no PEM of a key, or is encrypted", cause);
  }
  if (key.asymmetricKeyType === "ed25519") return key;
  throw invalid(
    shown,
    `it is of the kind ${key.asymmetricKeyType}, and Ed25519 is needed: run "framework audit keygen"`,
  );
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw invalid(file, "it cannot be read", cause);
  }
}

const invalid = (shown: string, reason: string, cause?: unknown): FrameworkError =>
  new FrameworkError("AUDIT_KEY_INVALID", `${shown}: ${reason}`, cause === undefined ? undefined : { cause });
