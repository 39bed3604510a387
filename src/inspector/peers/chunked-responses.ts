// Responses that are too long for one message. They are held until the asking process has fetched
// all pieces.

import type { Clock } from "#core/clock.js";

/** Encoded as JSON within JSON, a piece may double in length. That is the limit of one message. */
const PIECE_CHARS = 1_048_576;
const MAX_PIECES = 16;
const MAX_HELD = 4;
/** Time to fetch the next piece. A process fetches it at once; one that does not has given up. */
const HELD_MS = 2000;

export interface Piece {
  /** Counted from 0. */
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

  /**
   * Returns the first piece. Undefined if the text is too long, too many responses are held, or
   * after `close`.
   */
  hold(id: string, text: string): Piece | undefined {
    if (this.#isClosed || text.length > MAX_PIECES * PIECE_CHARS || this.#held.size >= MAX_HELD)
      return undefined;
    this.#held.set(id, { text, cancel: () => {} });
    return this.piece(id, 0);
  }

  /** Undefined if the response is no longer held. */
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
