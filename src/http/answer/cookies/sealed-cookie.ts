// Signed and encrypted cookies. Each is a Bus key for reading, with methods for writing. The name is
// authenticated too, so that a value is invalid under another name. Cookies outlive releases: a
// test compares the formats with docs/answers.md.

import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type BusKey, busKey } from "#core/bus/bus-key.js";
import type { SetCookie } from "#core/bus/reply.js";
import { interned } from "#core/interned.js";
import { cookiePackage } from "../../refusal/cookie-package.js";
import type { CookieKeys } from "./cookie-keys.js";
import { assertCookieValue, type CookieOptions, deleteCookie, setCookie } from "./set-cookie.js";

type Kind = "signed" | "encrypted";

/** Number of rejected cookies by reason, since the process start. */
export type RefusedCookies = Readonly<Record<RefusedFor, number>>;

/** The key of a sealed cookie. The cookie is absent if it was altered, copied from another name, sealed with an unknown key, or has expired. */
export interface SealedCookie<K extends Kind, Name extends string>
  extends BusKey<string, `${K} cookie:${Name}`> {
  /** A cookie for `respond({ cookies: [...] })`. With `maxAge` the seal expires too. Throws COOKIE_INVALID like `setCookie`. */
  readonly set: (value: string, options?: CookieOptions) => SetCookie;
  /** A cookie that makes the browser delete this one. */
  readonly delete: () => SetCookie;
  readonly refused: RefusedCookies;
}

// The size limit of a cookie.
const MAX_SEALED_LENGTH = 4096;

class SealedCookieKey {
  readonly name: string;
  readonly slot: number;
  readonly refused: Record<RefusedFor, number> = { malformed: 0, unknownKey: 0, forged: 0, expired: 0 };
  readonly #cookie: string;
  readonly #seal: Seal;
  readonly #keys: CookieKeys;
  readonly #options: CookieOptions;

  constructor(kind: Kind, cookie: string, seal: Seal, keys: CookieKeys, options: CookieOptions) {
    this.name = `${kind} cookie:${cookie}`;
    this.slot = busKey<string>()(this.name).slot;
    this.#cookie = cookie;
    this.#seal = seal;
    this.#keys = keys;
    this.#options = options;
    // Throws for invalid options at declaration, not in a request.
    this.set("");
  }

  set(value: string, options: CookieOptions = {}): SetCookie {
    const all = { ...this.#options, ...options };
    const { maxAge } = all;
    // A lone surrogate would be read back as another character.
    assertCookieValue(this.#cookie, value);
    const expires = maxAge === undefined ? "" : String(this.#seconds() + maxAge);
    return setCookie(this.#cookie, this.#seal.seal(this.#cookie, `${expires}.${value}`, this.#keys), all);
  }

  delete(): SetCookie {
    return deleteCookie(this.#cookie, this.#options);
  }

  /** The value in a Cookie header, or undefined. */
  read(header: string): string | undefined {
    const { parse } = cookiePackage();
    const sealed = parse(header, { decode: (text) => text })[this.#cookie];
    if (sealed === undefined) return undefined;
    if (sealed.length > MAX_SEALED_LENGTH) return this.#refuse("malformed");
    const opened = this.#seal.open(this.#cookie, sealed, this.#keys);
    if (opened.kind === "refused") return this.#refuse(opened.why);
    const dot = opened.content.indexOf(".");
    const expires = opened.content.slice(0, dot);
    // hole: a stolen cookie would be good for ever
    if (expires !== "" && Number(expires) <= this.#seconds()) return this.#refuse("expired");
    return opened.content.slice(dot + 1);
  }

  #seconds(): number {
    return Math.floor(this.#keys.now() / 1000);
  }

  #refuse(why: RefusedFor): undefined {
    this.refused[why] += 1;
    return undefined;
  }
}

// Interned, so that an ingress of one copy of the package reads keys of another copy.
const SharedSealedCookieKey = interned("SealedCookieKey", () => SealedCookieKey);
type SharedSealedCookieKey = SealedCookieKey;

export { SharedSealedCookieKey as SealedCookieKey };

/**
 * A cookie that the client can read but not change: `const Cart = signedCookie("cart", keys)`.
 * A step declares it in `reads` or `mayRead`, and responds with `Cart.set(value)`.
 */
export const signedCookie = <const Name extends string>(
  name: Name,
  keys: CookieKeys,
  options: CookieOptions = {},
): SealedCookie<"signed", Name> =>
  new SharedSealedCookieKey("signed", name, signature, keys, options) as unknown as SealedCookie<
    "signed",
    Name
  >;

/** A cookie that the client can neither read nor change. Used like {@link signedCookie}. */
export const encryptedCookie = <const Name extends string>(
  name: Name,
  keys: CookieKeys,
  options: CookieOptions = {},
): SealedCookie<"encrypted", Name> =>
  new SharedSealedCookieKey("encrypted", name, encryption, keys, options) as unknown as SealedCookie<
    "encrypted",
    Name
  >;

type RefusedFor = "malformed" | "unknownKey" | "forged" | "expired";

type Opened =
  | { readonly kind: "opened"; readonly content: string }
  | { readonly kind: "refused"; readonly why: RefusedFor };

interface Seal {
  readonly seal: (name: string, content: string, keys: CookieKeys) => string;
  readonly open: (name: string, sealed: string, keys: CookieKeys) => Opened;
}

const refused = (why: RefusedFor): Opened => ({ kind: "refused", why });
const opened = (content: string): Opened => ({ kind: "opened", content });

/** `id.content.mac`: HMAC-SHA-256 over the name and the text before the last dot. Readable. */
const signature: Seal = {
  seal: (name, content, { current }) => {
    const signed = `${current.id}.${Buffer.from(content).toString("base64url")}`;
    return `${signed}.${macOf(name, signed, current.signing)}`;
  },
  open: (name, sealed, keys) => {
    const [id = "", content, mac, more] = sealed.split(".");
    if (content === undefined || mac === undefined || more !== undefined) return refused("malformed");
    const key = keys.find(id);
    if (key === undefined) return refused("unknownKey");
    // Compared as text, because decoding ignores two bits of the last character.
    const expected = Buffer.from(macOf(name, `${id}.${content}`, key.signing));
    const given = Buffer.from(mac);
    // hole: a cookie could be forged
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return refused("forged");
    return opened(Buffer.from(content, "base64url").toString());
  },
};

// A name holds no "=".
const macOf = (name: string, signed: string, key: Parameters<typeof createHmac>[1]): string =>
  createHmac("sha256", key).update(`${name}=${signed}`).digest("base64url");

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `id.bytes`: nonce, content by AES-256-GCM and tag. */
const encryption: Seal = {
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
    // hole: the value of one cookie would pass under another name
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
