import type { KeyObject } from "node:crypto";
import type { JsonMembers } from "../strict-json.js";
import { readJwk, type TokenKey } from "./jwk.js";
import type { JwsAlgorithm } from "./jws-algorithm.js";

/** Maximum number of keys in a set: an issuer has a handful. */
const MAX_KEYS = 100;

/**
 * The public keys of a JWK set (RFC 7517, section 5) from a server. Skips keys for other purposes
 * and keys that must not be used. Also skips secrets and private keys: content of a URL is not
 * secret.
 */
export class JwksKeySet {
  /** Usable keys by their full content. */
  readonly #byContent = new Map<string, TokenKey>();
  // Null marks an ambiguous name: two different keys have it.
  readonly #byKid = new Map<string, TokenKey | null>();
  readonly #byAlgorithm = new Map<JwsAlgorithm, KeyObject | null>();

  private constructor(keys: readonly TokenKey[]) {
    for (const key of keys) this.#add(key);
  }

  /** Returns a text if the set is invalid. */
  static of({ keys: jwks }: JsonMembers): JwksKeySet | string {
    if (!Array.isArray(jwks)) return "is no JWK set: it has no list 'keys'";
    if (jwks.length > MAX_KEYS) return `has ${jwks.length} keys, and ${MAX_KEYS} are the most`;
    const usable: TokenKey[] = [];
    for (const jwk of jwks) {
      const read = readJwk(jwk);
      // hole: a published secret would verify tokens
      if (read.kind === "key" && read.key.key.type === "public") usable.push(read.key);
    }
    return new JwksKeySet(usable);
  }

  /** Number of usable keys. */
  get size(): number {
    return this.#byContent.size;
  }

  /** Without a kid, the only key for the algorithm. Undefined if there is none or more than one. */
  find(algorithm: JwsAlgorithm, kid: string | undefined): KeyObject | undefined {
    if (kid === undefined) return this.#byAlgorithm.get(algorithm) ?? undefined;
    const named = this.#byKid.get(kid);
    return named?.algorithms.includes(algorithm) === true ? named.key : undefined;
  }

  /** True if it contains each key of `other`, with the same name and algorithms. */
  hasAllOf(other: JwksKeySet): boolean {
    for (const content of other.#byContent.keys()) if (!this.#byContent.has(content)) return false;
    return true;
  }

  #add(key: TokenKey): void {
    const content = contentOf(key);
    // A key that occurs twice counts once.
    if (this.#byContent.has(content)) return;
    this.#byContent.set(content, key);
    for (const algorithm of key.algorithms) {
      this.#byAlgorithm.set(algorithm, this.#byAlgorithm.has(algorithm) ? null : key.key);
    }
    if (key.kid === undefined) return;
    const named = this.#byKid.get(key.kid);
    // A key may occur once for each of its algorithms.
    const isSame = named?.key.equals(key.key) === true;
    if (named === undefined) this.#byKid.set(key.kid, key);
    else if (!isSame) this.#byKid.set(key.kid, null);
    else this.#byKid.set(key.kid, { ...key, algorithms: [...named.algorithms, ...key.algorithms] });
  }
}

const contentOf = ({ key, kid, algorithms }: TokenKey): string =>
  JSON.stringify([kid ?? null, algorithms, key.export({ format: "der", type: "spki" }).toString("base64")]);
