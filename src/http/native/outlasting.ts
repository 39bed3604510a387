/** Who gets a body. */
export interface BodyTaker {
  /** One piece of it, which is gone when this returns; `last` with the final one. */
  take(piece: ArrayBuffer, last: boolean): void;
  /** The client went away, or nobody waits for the run any more. */
  left(): void;
}

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
}

/** Of one that does not. */
export const notOutlasting: Readonly<Outlasting> = new Outlasting();
