// How a cookie's content is sealed, so that nobody else can have made it.
//
//   CS1. The name is part of what is authenticated: the value of one cookie is worth
//        nothing under another name.
//   CS2. One text for one content: what decodes to the same bytes by a looser reading
//        of base64 is refused, so that each changed bit shows.
//   CS3. The texts are those of docs/answers.md, and cookies outlive releases: a test
//        opens some that were sealed long ago.

import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import type { CookieKeys } from "./cookie-keys.js";

/** Why a cookie is taken for absent. */
export type RefusedFor = "malformed" | "unknownKey" | "forged" | "expired";

type Opened =
  | { readonly kind: "opened"; readonly content: string }
  | { readonly kind: "refused"; readonly why: RefusedFor };

export interface Seal {
  readonly seal: (name: string, content: string, keys: CookieKeys) => string;
  readonly open: (name: string, sealed: string, keys: CookieKeys) => Opened;
}

const refused = (why: RefusedFor): Opened => ({ kind: "refused", why });
const opened = (content: string): Opened => ({ kind: "opened", content });

/** `id.content.mac`: HMAC-SHA-256 over the name and what is before the last dot. Anyone can read it. */
export const signature: Seal = {
  seal: (name, content, { current }) => {
    const signed = `${current.id}.${Buffer.from(content).toString("base64url")}`;
    return `${signed}.${macOf(name, signed, current.signing)}`;
  },
  open: (name, sealed, keys) => {
    const [id = "", content, mac, more] = sealed.split(".");
    if (content === undefined || mac === undefined || more !== undefined) return refused("malformed");
    const key = keys.find(id);
    if (key === undefined) return refused("unknownKey");
    // As texts (CS2): the last character of a mac has two bits that decode to nothing.
    const expected = Buffer.from(macOf(name, `${id}.${content}`, key.signing));
    const given = Buffer.from(mac);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return refused("forged");
    return opened(Buffer.from(content, "base64url").toString());
  },
};

// A name holds no "=", so no two pairs of name and text run together to the same.
const macOf = (name: string, signed: string, key: Parameters<typeof createHmac>[1]): string =>
  createHmac("sha256", key).update(`${name}=${signed}`).digest("base64url");

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `id.bytes`: nonce, content by AES-256-GCM and tag. Only the server can read it. */
export const encryption: Seal = {
  seal: (name, content, { current: { id, encryption: key } }) => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(`${name}=${id}`));
    const bytes = Buffer.concat([nonce, cipher.update(content, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${id}.${bytes.toString("base64url")}`;
  },
  open: (name, sealed, keys) => {
    const [id = "", text = "", more] = sealed.split(".");
    const bytes = Buffer.from(text, "base64url");
    if (more !== undefined || bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== text)
      return refused("malformed");
    const key = keys.find(id);
    if (key === undefined) return refused("unknownKey");
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, key.encryption, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(`${name}=${id}`));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const content = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return opened(Buffer.concat([content, decipher.final()]).toString());
    } catch {
      return refused("forged");
    }
  },
};
