// The messages of one connection that cannot be worked on yet, in their order, and the runs
// that they wait for.

import type { WebSocketLimitPlan } from "./limits.js";

/** A message that waits. Its bytes are a copy. */
export interface WaitingMessage {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

const GONE = new Error("The connection is closed");

interface AbortableRun {
  abort(reason: unknown): void;
}

export class Turns {
  /** Runs that wait for a promise. */
  readonly runs = new Set<AbortableRun>();
  /** Those of them that are a message's. */
  messages = 0;
  #waiting: WaitingMessage[] = [];
  /** Where the first that waits stands. */
  #first = 0;
  #bytes = 0;

  /** How many wait. */
  get length(): number {
    return this.#waiting.length - this.#first;
  }

  /** False where no more may wait. */
  push(message: WaitingMessage, { maxWaiting, maxWaitingBytes }: WebSocketLimitPlan): boolean {
    if (this.length >= maxWaiting || this.#bytes + message.data.length > maxWaitingBytes) return false;
    this.#bytes += message.data.length;
    this.#waiting.push(message);
    return true;
  }

  shift(): WaitingMessage | undefined {
    const message = this.#waiting[this.#first];
    if (message === undefined) return undefined;
    this.#bytes -= message.data.length;
    this.#first += 1;
    if (this.#first * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return message;
  }

  /** The connection is gone: nothing that waits begins, and what runs is told. */
  end(): void {
    this.#waiting = [];
    this.#first = 0;
    this.#bytes = 0;
    for (const run of [...this.runs]) run.abort(GONE);
  }
}
