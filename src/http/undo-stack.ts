/** Answers whatever it likes; a promise is waited for. */
export type Undo = () => unknown;

/** What undoes what has begun, run in reverse order. */
export class UndoStack {
  readonly #entries: { readonly name: string; readonly undo: Undo }[] = [];
  readonly #failed: (name: string, error: unknown) => void;

  /** `failed` is told of each entry that threw, rejected or took too long. */
  constructor(failed: (name: string, error: unknown) => void) {
    this.#failed = failed;
  }

  push(name: string, undo: Undo): void {
    this.#entries.push({ name, undo });
  }

  /**
   * Runs every entry, the last first, one after another, until `endsAt` (of
   * `performance.now()`). Each is waited for half of the time that is left, so that one
   * that hangs leaves some to those behind it; the last one for all of it. What begins
   * later begins all the same. Never rejects; with nothing left it does nothing.
   */
  async unwind(endsAt: number): Promise<void> {
    for (let entry = this.#entries.pop(); entry !== undefined; entry = this.#entries.pop()) {
      const left = Math.max(0, endsAt - performance.now());
      try {
        await inTime(this.#entries.length === 0 ? left : left / 2, entry.undo());
      } catch (error) {
        this.#failed(entry.name, error);
      }
    }
  }
}

/** Settles as the value does; rejects where that takes too long. */
function inTime(ms: number, value: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = (): void =>
      reject(new Error(`It took longer than its part of stopping, ${Math.round(ms)} ms`));
    const timer = setTimeout(late, ms);
    Promise.resolve(value)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}
