// Answers that are too long for one message, as whoever gives them holds them until they are fetched.

import type { Clock } from "#core/clock.js";

/** As JSON in JSON a piece takes twice as much at most: as much as an answer in one may. */
const PIECE_CHARS = 1_048_576;
const MAX_PIECES = 16;
const MAX_HELD = 4;
/** The next piece is asked for at once: whoever lets so long pass has given up, and keeps a place from others. */
const HELD_MS = 2000;

export interface Piece {
  /** From 0. */
  readonly n: number;
  readonly count: number;
  readonly text: string;
}

interface Held {
  readonly text: string;
  cancel: () => void;
}

export class ChunkedResponses {
  readonly #held = new Map<string, Held>();
  readonly #clock: Clock;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Its first piece; undefined where it is too long, too many are held, or after `close`. */
  hold(id: string, text: string): Piece | undefined {
    if (this.#isClosed || text.length > MAX_PIECES * PIECE_CHARS || this.#held.size >= MAX_HELD)
      return undefined;
    this.#held.set(id, { text, cancel: () => {} });
    return this.piece(id, 0);
  }

  /** Undefined where it is not held any more. */
  piece(id: string, n: number): Piece | undefined {
    const held = this.#held.get(id);
    if (held === undefined) return undefined;
    held.cancel();
    const { text } = held;
    const count = Math.ceil(text.length / PIECE_CHARS);
    if (n >= count - 1) this.#held.delete(id);
    else held.cancel = this.#clock.after(HELD_MS, () => this.#held.delete(id));
    return { n, count, text: text.slice(n * PIECE_CHARS, (n + 1) * PIECE_CHARS) };
  }

  close(): void {
    this.#isClosed = true;
    for (const { cancel } of this.#held.values()) cancel();
    this.#held.clear();
  }
}
