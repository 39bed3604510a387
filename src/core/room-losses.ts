/** Where one message is lost there are many: told once in so many milliseconds. */
const TOLD_EVERY_MS = 10_000;

/** Counts the messages to rooms that were lost. */
export class RoomLosses {
  readonly #tell: (message: string, error: unknown) => void;
  readonly #now: () => number;
  #untold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(tell: (message: string, error: unknown) => void, now: () => number = () => performance.now()) {
    this.#tell = tell;
    this.#now = now;
  }

  add(why: string, error?: unknown): void {
    this.#untold += 1;
    const now = this.#now();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    const message = `Messages to rooms of other processes were lost: ${this.#untold}, the last because ${why}`;
    this.#untold = 0;
    this.#tell(message, error);
  }
}
