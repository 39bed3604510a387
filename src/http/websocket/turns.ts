import type { Deadlines } from "../native/deadlines.js";
import type { WebSocketLimitPlan } from "../plan/web-socket-limits.js";
import { MAX_FINISHED } from "./ending.js";

/** A copy of a message. */
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
  /** Number of these runs that are of messages. */
  messages = 0;
  #waiting: WaitingMessage[] = [];
  #bytes = 0;
  #isEnded = false;
  /** Set by `finish`: called when no message is left. */
  #finished: (() => void) | null = null;
  #release: () => void = () => {};

  /** Number of messages that run or wait. */
  get pending(): number {
    return this.messages + this.#waiting.length;
  }

  /** True if the received messages still run, and no further one is accepted. */
  get isFinishing(): boolean {
    return this.#finished !== null && !this.#isEnded;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Returns false at the limit. */
  push(message: WaitingMessage, { maxWaiting, maxWaitingBytes }: WebSocketLimitPlan): boolean {
    // hole: a client could fill the memory with messages
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

  /** Accepts no more messages. Calls `finished` when none is left, or `late` at the deadline. Returns the number of dropped messages. */
  finish(deadlines: Deadlines, late: () => void, finished: () => void): number {
    const isFirst = this.#finished === null;
    this.#finished = finished;
    if (!isFirst) return 0;
    const deadline = deadlines.add(late);
    this.#release = () => deadlines.remove(deadline);
    return this.#waiting.splice(Math.max(0, MAX_FINISHED - this.messages)).length;
  }

  /** Call it when a message has ended. */
  settle(): void {
    const finished = this.#finished;
    if (finished === null || this.pending > 0) return;
    this.#finished = null;
    this.#release();
    finished();
  }

  /** Drops waiting messages and aborts running ones. */
  end(): void {
    this.#isEnded = true;
    this.#waiting = [];
    this.#bytes = 0;
    for (const run of [...this.runs]) run.abort(GONE);
  }
}
