import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { FrameworkError } from "#core/errors.js";
import type { Secret } from "#core/secrets/secret.js";
import { configInvalid } from "../../refusal/option-checks.js";

export interface CookieKey {
  /** Readable part of each cookie: 1 to 32 letters, digits, "-" and "_". */
  readonly id: string;
  /** At least 32 random bytes: `openssl rand -base64 32`. */
  readonly secret: Secret<string>;
}

/** Keys derived from the secret, one per purpose. */
interface DerivedKeys {
  readonly id: string;
  readonly signing: KeyObject;
  readonly encryption: KeyObject;
}

const MIN_SECRET_BYTES = 32;

/** Keys of signed and encrypted cookies. The first key seals, every key opens. To rotate, add a new key in front and remove the last one after its cookies have expired. */
export class CookieKeys {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly #keys: ReadonlyMap<string, DerivedKeys>;
  readonly #current: DerivedKeys;

  /** Throws CONFIG_INVALID for a short secret, and for malformed or duplicate ids. */
  constructor(keys: readonly CookieKey[], { now = Date.now }: { readonly now?: () => number } = {}) {
    const derived = keys.map(derive);
    const [current] = derived;
    if (current === undefined) throw invalid("give it at least one key");
    const twice = derived.find(({ id }, i) => derived.findIndex((other) => other.id === id) < i);
    if (twice !== undefined) throw invalid(`two keys have the id '${twice.id}': rename one`);
    this.now = now;
    this.#keys = new Map(derived.map((key) => [key.id, key]));
    this.#current = current;
  }

  /** @internal */
  get current(): DerivedKeys {
    return this.#current;
  }

  /** @internal */
  find(id: string): DerivedKeys | undefined {
    return this.#keys.get(id);
  }
}

function derive({ id, secret }: CookieKey): DerivedKeys {
  if (!/^[\w-]{1,32}$/.test(id))
    throw invalid(`the id ${JSON.stringify(id)} is not 1 to 32 letters, digits, '-' and '_'`);
  const text: unknown = secret?.reveal?.();
  const bytes = typeof text === "string" ? Buffer.byteLength(text) : 0;
  // hole: a short secret could be guessed
  if (typeof text !== "string" || bytes < MIN_SECRET_BYTES)
    throw invalid(
      `the secret of key '${id}' is ${typeof text === "string" ? `${bytes} bytes long` : "no Secret of a text"}: use new Secret(text) with at least ${MIN_SECRET_BYTES} random bytes, as 'openssl rand -base64 32' makes them`,
    );
  const keyFor = (purpose: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync("sha256", text, "", `framework cookie ${purpose} 1`, 32)));
  return { id, signing: keyFor("signing"), encryption: keyFor("encryption") };
}

const invalid = (what: string): FrameworkError => configInvalid(`CookieKeys: ${what}`);
