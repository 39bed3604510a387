import { createPrivateKey, type KeyObject } from "node:crypto";

import type { Secret } from "#core/secret.js";
import { readPem } from "./pem.js";
import { tlsInvalid } from "./tls-invalid.js";

/** Throws TLS_INVALID for what is no key, and for one whose passphrase is missing or wrong. */
export function readPrivateKey(
  file: string,
  text: string,
  passphrase: Secret<string> | undefined,
): KeyObject {
  const read = readPem(text);
  if (read.kind === "malformed") throw tlsInvalid(file, read.problem, "write it again, whole");
  const block = read.blocks.find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (block === undefined) throw noKey(file, read.blocks[0]?.label);
  const isEncrypted = block.label.startsWith("ENCRYPTED") || block.text.includes("Proc-Type: 4,ENCRYPTED");
  if (isEncrypted && passphrase === undefined)
    throw tlsInvalid(file, "the key is encrypted", "give its passphrase, or a key without one");
  try {
    return createPrivateKey({
      key: block.text,
      ...(isEncrypted && passphrase && { passphrase: passphrase.reveal() }),
    });
  } catch (cause) {
    const problem = isEncrypted ? "the passphrase does not open the key" : "the key cannot be read";
    const remedy = isEncrypted ? "give the one that it was encrypted with" : "write it again, whole";
    throw tlsInvalid(file, problem, remedy, cause);
  }
}

function noKey(file: string, label: string | undefined): Error {
  if (label === undefined)
    return tlsInvalid(file, "it holds no PEM", 'a key in PEM begins with "-----BEGIN PRIVATE KEY-----"');
  const isCertificate = label.includes("CERTIFICATE");
  return tlsInvalid(
    file,
    `it holds no private key but a "${label}"`,
    isCertificate
      ? "were certificate and key given in the wrong order? Write tls(cert, key)"
      : "give the file with the private key",
  );
}
