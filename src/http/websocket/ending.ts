// The end of a connection: how long it may take, and the close frame that waits.

import { Deadline, type Deadlines } from "../native/deadlines.js";

/** For the messages before a close frame, and for a peer that reads nothing. */
export const ENDING_MS = 5000;

/** For a peer that reads slowly. */
const MAX_ENDING_MS = 30_000;

/** Messages that still run after a close frame. */
export const MAX_FINISHED = 256;

/** A close frame that is not handed to the engine yet. */
export class Ending extends Deadline {
  readonly code: number;
  readonly reason: string;
  readonly #deadlines: Deadlines;
  readonly #cut: () => void;
  readonly #began: number;

  constructor(code: number, reason: string, deadlines: Deadlines, cut: () => void) {
    super();
    this.code = code;
    this.reason = reason;
    this.#deadlines = deadlines;
    this.#cut = cut;
    this.#began = deadlines.now;
    deadlines.append(this);
  }

  expire(): void {
    this.#cut();
  }

  /** The peer has read something. */
  renew(): void {
    if (this.#deadlines.msSince(this.#began) >= MAX_ENDING_MS) return;
    this.end();
    this.#deadlines.append(this);
  }

  end(): void {
    this.#deadlines.remove(this);
  }
}
