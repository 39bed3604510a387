/** A value that prints as `[redacted]` in JSON, in util.inspect and in templates. */
export class Secret<T> {
  readonly #value: T;
  readonly #shown: string;

  /** `shown` is printed instead of the value, such as an address without its password. */
  constructor(value: T, shown = REDACTED) {
    this.#value = value;
    this.#shown = shown;
  }

  /** The value itself. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return this.#shown;
  }

  toJSON(): string {
    return this.#shown;
  }

  // Called by util.inspect, and so by console.log.
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.#shown;
  }
}

export const REDACTED = "[redacted]";
