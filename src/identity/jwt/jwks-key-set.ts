import type { KeyObject } from "node:crypto";
import type { JsonMembers } from "../strict-json.js";
import { readJwk, type TokenKey } from "./jwk.js";
import type { JwsAlgorithm } from "./jws-algorithm.js";

/** As many as a set may have: an issuer has a handful. */
const MAX_KEYS = 100;

/**
 * The public keys of a JWK set (RFC 7517, section 5) that a server has answered. What is no key for
 * tokens, or one that must not be used, is passed over. Secrets and private keys are too: whatever
 * a URL serves is known to others.
 */
export class JwksKeySet {
  /** Each usable key by all that makes it what it is. */
  readonly #byContent = new Map<string, TokenKey>();
  // Null: two different keys, of which nobody can say which is meant.
  readonly #byKid = new Map<string, TokenKey | null>();
  readonly #byAlgorithm = new Map<JwsAlgorithm, KeyObject | null>();

  private constructor(keys: readonly TokenKey[]) {
    for (const key of keys) this.#add(key);
  }

  /** Otherwise what is wrong with it. */
  static of({ keys: jwks }: JsonMembers): JwksKeySet | string {
    if (!Array.isArray(jwks)) return "is no JWK set: it has no list 'keys'";
    if (jwks.length > MAX_KEYS) return `has ${jwks.length} keys, and ${MAX_KEYS} are the most`;
    const usable: TokenKey[] = [];
    for (const jwk of jwks) {
      const read = readJwk(jwk);
      if (read.kind === "key" && read.key.key.type === "public") usable.push(read.key);
    }
    return new JwksKeySet(usable);
  }

  /** How many keys can be used. */
  get size(): number {
    return this.#byContent.size;
  }

  /** Without a kid the only key for the algorithm. Undefined where there is none, or more than one. */
  find(algorithm: JwsAlgorithm, kid: string | undefined): KeyObject | undefined {
    if (kid === undefined) return this.#byAlgorithm.get(algorithm) ?? undefined;
    const named = this.#byKid.get(kid);
    return named?.algorithms.includes(algorithm) === true ? named.key : undefined;
  }

  /** Whether each key of `other` is here too, under the same name and for the same algorithms. */
  hasAllOf(other: JwksKeySet): boolean {
    for (const content of other.#byContent.keys()) if (!this.#byContent.has(content)) return false;
    return true;
  }

  #add(key: TokenKey): void {
    const content = contentOf(key);
    // Written twice it is one key still.
    if (this.#byContent.has(content)) return;
    this.#byContent.set(content, key);
    for (const algorithm of key.algorithms) {
      this.#byAlgorithm.set(algorithm, this.#byAlgorithm.has(algorithm) ? null : key.key);
    }
    if (key.kid === undefined) return;
    const named = this.#byKid.get(key.kid);
    // One key may be there once for each of its algorithms.
    const isSame = named?.key.equals(key.key) === true;
    if (named === undefined) this.#byKid.set(key.kid, key);
    else if (!isSame) this.#byKid.set(key.kid, null);
    else this.#byKid.set(key.kid, { ...key, algorithms: [...named.algorithms, ...key.algorithms] });
  }
}

const contentOf = ({ key, kid, algorithms }: TokenKey): string =>
  JSON.stringify([kid ?? null, algorithms, key.export({ format: "der", type: "spki" }).toString("base64")]);
