// A signed or encrypted cookie, declared once: the Bus key by which steps read it, and
// what writes it.

import { createRequire } from "node:module";
import type * as Cookie from "cookie";

import { type BusKey, busKey } from "#core/bus-key.js";
import { interned } from "#core/interned.js";
import type { SetCookie } from "#core/reply.js";
import type { CookieKeys } from "./cookie-keys.js";
import { encryption, type RefusedFor, type Seal, signature } from "./seal.js";
import { assertCookieValue, type CookieOptions, deleteCookie, setCookie } from "./set-cookie.js";

const require = createRequire(import.meta.url);

type Kind = "signed" | "encrypted";

/** How many cookies were taken for absent, by the reason, since the process began. */
export type RefusedCookies = Readonly<Record<RefusedFor, number>>;

/**
 * The key of a cookie that this server sealed; absent where there is none, and where it
 * was changed, moved from another name, sealed with an unknown key, or has expired.
 */
export interface SealedCookie<K extends Kind, Name extends string>
  extends BusKey<string, `${K} cookie:${Name}`> {
  /**
   * The cookie for `respond({ cookies: [...] })`. With `maxAge` the seal itself expires then,
   * whatever the browser does. Throws COOKIE_INVALID like `setCookie`.
   */
  readonly set: (value: string, options?: CookieOptions) => SetCookie;
  /** Makes the browser forget it. */
  readonly delete: () => SetCookie;
  readonly refused: RefusedCookies;
}

// A cookie is at most this long; a longer text was not made here.
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
    // What is wrong with the name or the options shows now, not in a request.
    this.set("");
  }

  set(value: string, options: CookieOptions = {}): SetCookie {
    const all = { ...this.#options, ...options };
    const { maxAge } = all;
    // Sealed as UTF-8, half a character would come back as another.
    assertCookieValue(this.#cookie, value);
    const expires = maxAge === undefined ? "" : String(this.#seconds() + maxAge);
    return setCookie(this.#cookie, this.#seal.seal(this.#cookie, `${expires}.${value}`, this.#keys), all);
  }

  delete(): SetCookie {
    return deleteCookie(this.#cookie, this.#options);
  }

  /** The value in a Cookie header, if this server sealed it and it has not expired. */
  read(header: string): string | undefined {
    const { parse } = require("cookie") as typeof Cookie;
    const sealed = parse(header, { decode: (text) => text })[this.#cookie];
    if (sealed === undefined) return undefined;
    if (sealed.length > MAX_SEALED_LENGTH) return this.#refuse("malformed");
    const opened = this.#seal.open(this.#cookie, sealed, this.#keys);
    if (opened.kind === "refused") return this.#refuse(opened.why);
    const dot = opened.content.indexOf(".");
    const expires = opened.content.slice(0, dot);
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

// An ingress of one copy of the package reads the cookie of another.
const SharedSealedCookieKey = interned("SealedCookieKey", () => SealedCookieKey);
type SharedSealedCookieKey = SealedCookieKey;

export { SharedSealedCookieKey as SealedCookieKey };

/**
 * A cookie that its reader can read and not change: `const Cart = signedCookie("cart", keys)`.
 * A step declares it in `reads` or `mayRead`, and answers `Cart.set(value)`.
 */
export const signedCookie = <const Name extends string>(
  name: Name,
  keys: CookieKeys,
  options: CookieOptions = {},
): SealedCookie<"signed", Name> => sealedCookie("signed", name, signature, keys, options);

/** A cookie that its reader can neither read nor change. Used like {@link signedCookie}. */
export const encryptedCookie = <const Name extends string>(
  name: Name,
  keys: CookieKeys,
  options: CookieOptions = {},
): SealedCookie<"encrypted", Name> => sealedCookie("encrypted", name, encryption, keys, options);

const sealedCookie = <K extends Kind, Name extends string>(
  kind: K,
  name: Name,
  seal: Seal,
  keys: CookieKeys,
  options: CookieOptions,
): SealedCookie<K, Name> =>
  new SharedSealedCookieKey(kind, name, seal, keys, options) as unknown as SealedCookie<K, Name>;
