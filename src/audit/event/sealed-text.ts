// Texts sealed for a person: `sealed:1:PSEUDONYM:CIPHERTEXT`, with AES-256-GCM under that person's
// key. The nonce is an HMAC of the text and its place, so that appending an entry again gives the
// same event.

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

import type { SubjectKeyStore } from "#core/ports/audit-sink.js";

const PREFIX = "sealed:1:";
const SEALED = /^sealed:1:([\w-]{43}):([\w-]+)$/;
const NONCE = 12;
const TAG = 16;

/** A query for texts sealed under a pseudonym. */
export const isPseudonymText = (text: string): boolean => /^sealed:1:[\w-]{43}$/.test(text);

export const isSealed = (text: string): boolean => text.startsWith(PREFIX);

/** `place` is the id of the event and the member: a sealed text cannot be moved to another place. */
export async function sealedText(
  keys: SubjectKeyStore,
  subject: string,
  place: string,
  text: string,
): Promise<string> {
  const pseudonym = await keys.pseudonym(subject);
  const key = await keys.key(pseudonym);
  const nonce = createHmac("sha256", key)
    .update(JSON.stringify([place, text]))
    .digest()
    .subarray(0, NONCE);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${PREFIX}${pseudonym}:${sealed.toString("base64url")}`;
}

/** A sealed text as a query finds it, without its ciphertext; another text unchanged. */
export const withoutCiphertext = (text: string): string => {
  const [, pseudonym] = SEALED.exec(text) ?? [];
  return pseudonym === undefined ? text : `${PREFIX}${pseudonym}`;
};

/** The query text for a subject. */
export const pseudonymText = async (keys: SubjectKeyStore, subject: string): Promise<string> =>
  `${PREFIX}${await keys.pseudonym(subject)}`;

/** Undefined if the key was deleted, or the text was not sealed at this place. */
export async function openedText(
  keys: SubjectKeyStore,
  place: string,
  sealed: string,
): Promise<string | undefined> {
  const [, pseudonym, text] = SEALED.exec(sealed) ?? [];
  const key = pseudonym === undefined ? undefined : await keys.find(pseudonym);
  if (key === undefined) return undefined;
  const bytes = Buffer.from(text as string, "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE))
      .setAAD(Buffer.from(place))
      .setAuthTag(bytes.subarray(-TAG));
    return decipher.update(bytes.subarray(NONCE, -TAG), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}
