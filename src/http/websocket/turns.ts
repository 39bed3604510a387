import type { WebSocketLimitPlan } from "./limits.js";

/** A copy. */
export interface WaitingMessage {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

const GONE = new Error("The connection is closed");

interface AbortableRun {
  abort(reason: unknown): void;
}

export class Turns {
  /** Runs awaiting a promise. */
  readonly runs = new Set<AbortableRun>();
  /** How many of them are of messages. */
  messages = 0;
  #waiting: WaitingMessage[] = [];
  #bytes = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** False at the limit. */
  push(message: WaitingMessage, { maxWaiting, maxWaitingBytes }: WebSocketLimitPlan): boolean {
    if (this.length >= maxWaiting || this.#bytes + message.data.length > maxWaitingBytes) return false;
    this.#bytes += message.data.length;
    this.#waiting.push(message);
    return true;
  }

  shift(): WaitingMessage | undefined {
    const message = this.#waiting.shift();
    if (message !== undefined) this.#bytes -= message.data.length;
    return message;
  }

  /** The connection is closed: drops what waits and aborts what runs. */
  end(): void {
    this.#waiting = [];
    this.#bytes = 0;
    for (const run of [...this.runs]) run.abort(GONE);
  }
}
