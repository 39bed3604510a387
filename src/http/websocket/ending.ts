// Ends a connection: time limits, and the pending close frame.

import { Deadline, type Deadlines } from "../native/deadlines.js";

/** Limit for messages before a close frame, and for a peer that reads nothing. */
export const ENDING_MS = 5000;

/** Limit for a peer that reads slowly. */
const MAX_ENDING_MS = 30_000;

/** Number of messages that may still run after a close frame. */
export const MAX_FINISHED = 256;

/** A close frame that was not passed to the engine yet. */
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

  /** Called when the peer has read bytes. */
  renew(): void {
    if (this.#deadlines.msSince(this.#began) >= MAX_ENDING_MS) return;
    this.end();
    this.#deadlines.append(this);
  }

  end(): void {
    this.#deadlines.remove(this);
  }
}
