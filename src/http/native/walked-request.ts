import type { NativeRequest, NativeText } from "./port.js";

/**
 * A request whose headers were taken in one walk. The gate walks over them anyway, for each
 * look-up crosses into the engine (about 100 ns, and as much for a header that is absent),
 * where this takes 10. Walked over again for each request; empty between two.
 */
export class WalkedRequest implements NativeRequest {
  #native: NativeRequest = NOTHING;
  // New ones for each request: V8 notes each new text in an old list, which costs more than a list.
  #names: readonly string[] = NONE;
  #values: readonly string[] = NONE;

  walk(native: NativeRequest): void {
    const names: string[] = [];
    const values: string[] = [];
    native.forEach((name, value) => {
      names.push(name);
      values.push(value);
    });
    this.#native = native;
    this.#names = names;
    this.#values = values;
  }

  /** So that no header stays in memory for longer than its request: a token may be among them. */
  forget(): void {
    this.#names = NONE;
    this.#values = NONE;
    this.#native = NOTHING;
  }

  getCaseSensitiveMethod(): string {
    return this.#native.getCaseSensitiveMethod();
  }

  getUrl(): string {
    return this.#native.getUrl();
  }

  getQuery(): string | undefined {
    return this.#native.getQuery();
  }

  /** As the engine's: the first line of the name, or "". */
  getHeader(lowerCaseName: NativeText): string {
    if (typeof lowerCaseName !== "string") return this.#native.getHeader(lowerCaseName);
    const names = this.#names;
    const { length } = lowerCaseName;
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i] as string;
      // Most names differ by that: it is looked at in place, where texts are compared by a call.
      if (name.length === length && name === lowerCaseName) return this.#values[i] as string;
    }
    return "";
  }

  forEach(each: (name: string, value: string) => void): void {
    for (let i = 0; i < this.#names.length; i += 1) each(this.#names[i] as string, this.#values[i] as string);
  }
}

/** Between two requests. */
const NONE: readonly string[] = [];
const NOTHING: NativeRequest = {
  getCaseSensitiveMethod: () => "",
  getUrl: () => "",
  getQuery: () => undefined,
  getHeader: () => "",
  forEach: () => {},
};
