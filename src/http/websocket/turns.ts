import type { Deadlines } from "../native/deadlines.js";
import type { WebSocketLimitPlan } from "../plan/web-socket-limits.js";
import { MAX_FINISHED } from "./ending.js";

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
  #isEnded = false;
  /** Set once no further message is taken: called when none is left. */
  #finished: (() => void) | null = null;
  #release: () => void = () => {};

  /** Messages that run or wait. */
  get pending(): number {
    return this.messages + this.#waiting.length;
  }

  /** Whether the messages that have come still run, and no further one is taken. */
  get isFinishing(): boolean {
    return this.#finished !== null && !this.#isEnded;
  }

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

  /** Takes no more. Calls `finished` once none is left; `late` where that takes too long. Returns how many it drops. */
  finish(deadlines: Deadlines, late: () => void, finished: () => void): number {
    const isFirst = this.#finished === null;
    this.#finished = finished;
    if (!isFirst) return 0;
    const deadline = deadlines.add(late);
    this.#release = () => deadlines.remove(deadline);
    return this.#waiting.splice(Math.max(0, MAX_FINISHED - this.messages)).length;
  }

  /** To be called when a message has ended. */
  settle(): void {
    const finished = this.#finished;
    if (finished === null || this.pending > 0) return;
    this.#finished = null;
    this.#release();
    finished();
  }

  /** Drops what waits and aborts what runs. */
  end(): void {
    this.#isEnded = true;
    this.#waiting = [];
    this.#bytes = 0;
    for (const run of [...this.runs]) run.abort(GONE);
  }
}
