import type { KeyObject } from "node:crypto";
import { invalidOption } from "#core/invalid-option.js";
import type { TokenKey } from "./jwk.js";
import type { JwsAlgorithm } from "./jws-algorithm.js";
import { keyText, wantedText } from "./key-fit.js";
import type { KeyHint, VerificationKeys } from "./verification-keys.js";

/** A fixed set of keys in memory. */
export class StaticKeys implements VerificationKeys {
  readonly description: string;
  readonly #call: string;
  readonly #keys: readonly TokenKey[];
  readonly #byId: ReadonlyMap<string, TokenKey>;

  /**
   * `call` names the constructor in errors. Throws CONFIG_INVALID without a key, for a duplicate
   * name, for an unnamed key among several (no token could choose it), and for secrets among public
   * keys.
   */
  constructor(call: string, description: string, keys: readonly TokenKey[]) {
    if (keys.length === 0) throw invalidOption(call, "it holds no key that verifies tokens: give one");
    this.description = description;
    this.#call = call;
    this.#keys = keys;
    const byId = new Map<string, TokenKey>();
    for (const key of keys) {
      if (key.kid === undefined && keys.length > 1)
        throw invalidOption(call, "one of several keys has no kid, and no token could name it: give it one");
      if (key.kid !== undefined && byId.has(key.kid))
        throw invalidOption(call, `two keys have the kid ${JSON.stringify(key.kid)}: give each its own`);
      if (key.kid !== undefined) byId.set(key.kid, key);
    }
    this.#byId = byId;
    // A reader of the public keys could sign with the secret in the set.
    const isSecret = (key: TokenKey): boolean => key.key.type === "secret";
    if (keys.some(isSecret) && !keys.every(isSecret))
      throw invalidOption(call, "it mixes secrets and public keys: keep secrets in a set of their own");
  }

  readonly requireFor = (algorithms: readonly JwsAlgorithm[]): void => {
    for (const algorithm of algorithms) {
      if (this.#keys.some((key) => key.algorithms.includes(algorithm))) continue;
      const there = [...new Set(this.#keys.map(keyTextOf))].join("; ");
      throw invalidOption(this.#call, `${algorithm} needs ${wantedText(algorithm)}, and there is ${there}`);
    }
  };

  readonly find = ({ alg, kid }: KeyHint): KeyObject | undefined => {
    if (kid === undefined || this.#byId.size === 0) return this.#single(alg);
    const named = this.#byId.get(kid);
    // hole: a public key could be used as a secret
    return named?.algorithms.includes(alg) ? named.key : undefined;
  };

  #single(alg: JwsAlgorithm): KeyObject | undefined {
    const fitting = this.#keys.filter((key) => key.algorithms.includes(alg));
    return fitting.length === 1 ? fitting[0]?.key : undefined;
  }
}

const keyTextOf = ({ key, algorithms }: TokenKey): string => `${keyText(key)} for ${algorithms.join(", ")}`;
