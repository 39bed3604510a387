// The port that joins the rooms of the processes of one service.

import type { MaybePromise } from "../bus/outcome-types.js";

export interface RoomListener {
  /**
   * One message, in the turn in which it arrives. `binary` says which kind of message it is to
   * be, not how it is given: a text may come as UTF-8. The bytes must not be changed.
   */
  readonly message: (topic: string, message: string | Uint8Array, binary: boolean) => void;
  /** Told what was lost, seldom and for many at once, to be reported as ROOMS_FAILED. Must not throw. */
  readonly failed: (message: string, error?: unknown) => void;
}

/**
 * Joins the rooms of one process with those of the others. What an implementation must keep to:
 *
 * - Each other process gets a published message at most once, in order. The publisher does not.
 * - Publishing never waits, throws or rejects. What waits to be sent is bounded, and what is lost is
 *   told to the listener's `failed`.
 * - A listener that throws keeps no message from other listeners.
 * - After `dispose` no listener is called.
 */
export interface RoomBus {
  /** What it reaches in the memory of its process, where that is all: other processes hear nothing. */
  readonly perProcess?: string;
  /** Tells the others. The bytes are the caller's again when it returns; a text given as bytes is UTF-8. */
  readonly publish: (topic: string, message: string | Uint8Array, binary: boolean) => void;
  /** Tells the listener what the others publish from now on. Answers what ends that. */
  readonly subscribe: (listener: RoomListener) => () => void;
  /** Leaves the others. Called more than once it does nothing more. */
  readonly dispose: () => MaybePromise<void>;
}
