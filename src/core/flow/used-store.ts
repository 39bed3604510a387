// The store of a guard or step: its own, or that of the ingress which serves it, or one in memory.

import { FrameworkError } from "../errors.js";

interface Kept {
  readonly perProcess?: string;
}

export class UsedStore<S extends Kept> {
  readonly #owner: string;
  readonly #isOwn: boolean;
  readonly #alone: S;
  #current: S;
  /** Number of servers that gave the current one. */
  #servers = 0;

  /** `owner` is for messages: "RateLimitGuard 'login'". `memory` makes the store without an own one. */
  constructor(owner: string, own: S | undefined, memory: () => S) {
    this.#owner = owner;
    this.#isOwn = own !== undefined;
    this.#alone = own === undefined ? memory() : own;
    this.#current = this.#alone;
  }

  get current(): S {
    return this.#current;
  }

  /** Undefined while it is the memory that only this guard has. */
  get shared(): S | undefined {
    return this.#isOwn || this.#servers > 0 ? this.#current : undefined;
  }

  /**
   * Uses the store of a server until the returned function is called, once, unless the guard has its own. Nothing
   * is gained from one in memory: the guard has one. Throws CONFIG_INVALID while it uses another.
   */
  use(given: S | undefined): () => void {
    if (this.#isOwn || given === undefined || given.perProcess !== undefined) return () => {};
    if (this.#servers > 0 && this.#current !== given)
      throw new FrameworkError(
        "CONFIG_INVALID",
        `${this.#owner} is served by two ingresses with different stores: make one for each, or give it { store }`,
      );
    this.#current = given;
    this.#servers += 1;
    return () => {
      this.#servers -= 1;
      if (this.#servers === 0) this.#current = this.#alone;
    };
  }
}

/**
 * Declares what depends on the store in use. As properties of its own, and not of its class, they are read
 * from the guard itself by objects that inherit from it.
 */
export function declareBy<T extends object>(
  thing: T,
  declared: { readonly [K in keyof T]?: () => T[K] | undefined },
): void {
  for (const [name, get] of Object.entries(declared) as [string, () => unknown][])
    Object.defineProperty(thing, name, { get, enumerable: true });
}
