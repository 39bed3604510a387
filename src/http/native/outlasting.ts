import type { NativeAnswerStream } from "./answer-stream.js";

/** Who gets a body. */
export interface BodyTaker {
  /** One piece of it, which is gone when this returns; `last` with the final one. */
  take(piece: ArrayBuffer, last: boolean): void;
  /** The client went away, or nobody waits for the run any more. */
  left(): void;
}

export const nobody: BodyTaker = { take: () => {}, left: () => {} };

/** What an exchange has that outlasts its handler, or whose body is read. Most have neither. */
export class Outlasting {
  /** Whether the engine tells when the client goes away. */
  listens = false;
  /** Called when nobody waits for the run any more. */
  onAbort: (() => void) | null = null;
  isPaused = false;
  isAbandoned = false;
  /** Who gets the body; and what has come of it while it is held. */
  taker: BodyTaker | null = null;
  held: [ArrayBuffer, boolean][] | null = null;
  /** Its answer, where that is handed over in pieces. */
  stream: NativeAnswerStream | null = null;

  /** Calls `hook` too. */
  whenAborted(hook: () => void): void {
    const others = this.onAbort;
    this.onAbort =
      others === null
        ? hook
        : () => {
            others();
            hook();
          };
  }

  /** Nobody waits for the run any more, though there may be a client. */
  abandon(): void {
    const { onAbort, taker, stream } = this;
    this.isAbandoned = true;
    this.onAbort = null;
    taker?.left();
    onAbort?.();
    stream?.left();
  }

  /** The client went away. */
  left(): void {
    this.taker?.left();
    this.onAbort?.();
    this.stream?.left();
  }
}

/** Of one that does not. */
export const notOutlasting: Readonly<Outlasting> = new Outlasting();
