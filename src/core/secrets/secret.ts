/** A value that prints as `[redacted]` in JSON, in util.inspect and in templates. */
export class Secret<T> {
  readonly #value: T;
  readonly #shown: string;

  /** `shown` is printed instead of the value: an address without its password, say. */
  constructor(value: T, shown = REDACTED) {
    this.#value = value;
    this.#shown = shown;
  }

  /** The value itself, for whoever has to hand it on. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return this.#shown;
  }

  toJSON(): string {
    return this.#shown;
  }

  // What util.inspect, and so console.log, looks for.
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.#shown;
  }
}

export const REDACTED = "[redacted]";
