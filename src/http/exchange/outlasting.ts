import type { NativeAnswerStream } from "./answer-stream.js";
import type { Discarding } from "./discarding.js";
import type { LateEnd } from "./late-end.js";
import type { Lingering } from "./lingering.js";

export interface BodyTaker {
  /** `piece` is detached when this returns. */
  take(piece: ArrayBuffer, last: boolean): void;
  /** The client disconnected, or the run was abandoned. */
  left(): void;
}

export const noTaker: BodyTaker = { take: () => {}, left: () => {} };

/** State of an exchange that outlasts its handler or whose body is read. */
export class Outlasting {
  /** True if an abort handler is registered. */
  listens = false;
  onAbort: (() => void) | null = null;
  isPaused = false;
  isAbandoned = false;
  taker: BodyTaker | null = null;
  /** Discards the rest of the body. */
  discarding: Discarding | null = null;
  lateEnd: LateEnd | null = null;
  lingering: Lingering | null = null;
  /** True if the last piece of the body has arrived. */
  isWhole = false;
  held: [ArrayBuffer, boolean][] | null = null;
  /** Bytes of memory that are counted for the body. */
  reserved = 0;
  /** True while a run may hold the body, also after the response. */
  isRunning = false;
  /** True if a piece of a held body was dropped. */
  isCut = false;
  stream: NativeAnswerStream | null = null;

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

  abandon(): void {
    const { onAbort, taker, stream } = this;
    this.isAbandoned = true;
    this.onAbort = null;
    taker?.left();
    onAbort?.();
    stream?.left();
  }

  /** The connection is closed, after the response. */
  ended(): void {
    this.discarding?.left();
    this.lateEnd?.left();
    this.lingering?.left();
  }

  left(): void {
    this.ended();
    this.taker?.left();
    this.onAbort?.();
    this.stream?.left();
  }
}

export const notOutlasting: Readonly<Outlasting> = new Outlasting();
