import { FrameworkError } from "#core/errors.js";

const MAX_WAITING = 10_000;

/** Limits the pending appends of a sink: a slow or stuck sink must not fill the memory. */
export class AppendLimit {
  readonly #shown: string;
  #waiting = 0;

  constructor(shown: string) {
    this.#shown = shown;
  }

  async within<T>(append: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING)
      throw new FrameworkError(
        "AUDIT_UNAVAILABLE",
        `${this.#shown}: ${MAX_WAITING} audit events wait for it already`,
      );
    this.#waiting += 1;
    try {
      return await append();
    } finally {
      this.#waiting -= 1;
    }
  }
}
