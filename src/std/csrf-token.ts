// What a page sends back to show that it was made for this session (OWASP, "Cross-Site Request
// Forgery Prevention", synchroniser tokens).
//
//   CT1. Each reading has a mask of its own: a text that is the same in every page could be
//        guessed by the length of pages that are compressed (BREACH).
//   CT2. A token is good as long as its session keeps its secret, which a rotation replaces.

import { createHmac, timingSafeEqual } from "node:crypto";

const BYTES = 32;
const TOKEN = /^[\w-]{86}$/;

/** Derived, so that what stands in pages is not what is in the store. */
const macOf = (secret: string): Buffer => createHmac("sha256", secret).update("framework csrf 1").digest();

/** `random` is asked for 32 bytes. */
export function csrfTokenOf(secret: string, random: (bytes: number) => Uint8Array): string {
  const mask = random(BYTES);
  return Buffer.concat([mask, xor(macOf(secret), mask)]).toString("base64url");
}

/** Takes as long for each text of that length. */
export function isCsrfToken(token: string, secret: string): boolean {
  if (!TOKEN.test(token)) return false;
  const bytes = Buffer.from(token, "base64url");
  const mac = xor(bytes.subarray(BYTES), bytes.subarray(0, BYTES));
  return timingSafeEqual(mac, macOf(secret));
}

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, i) => byte ^ (b[i] as number));
