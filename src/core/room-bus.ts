// The port that joins the rooms of the processes of one service.
//
//   RB1. What one process publishes each of the others is told once or, where it is lost, never.
//        The one that published is not told: it has told its own connections.
//   RB2. What one process publishes arrives in its order, with gaps where something was lost.
//   RB3. Publishing never waits, throws or rejects. What waits to be sent is bounded; what is
//        above that is lost, and what is lost the process that lost it is told by `failed`.
//   RB4. A listener that throws keeps nothing from the others, nor from whoever published.
//   RB5. Once it is disposed of, nothing is sent and no listener is told anything.

import type { MaybePromise } from "./outcome-types.js";

/** Who is told what other processes publish: a server with rooms. */
export interface RoomListener {
  /**
   * One message, in the turn in which it arrives. `binary` says which kind of message it is to
   * be, not how it is given: a text may come as UTF-8. The bytes must not be changed.
   */
  readonly message: (topic: string, message: string | Uint8Array, binary: boolean) => void;
  /**
   * Told what was lost, seldom and for many at once, to be reported as ROOMS_FAILED. Must not throw.
   */
  readonly failed: (message: string, error?: unknown) => void;
}

/** Joins the rooms of one process with those of the others. */
export interface RoomBus {
  /** What it reaches in the memory of its process, where that is all: other processes hear nothing. */
  readonly perProcess?: string;
  /**
   * Tells the others. The bytes are the caller's again when it returns; a text given as bytes
   * is UTF-8.
   */
  readonly publish: (topic: string, message: string | Uint8Array, binary: boolean) => void;
  /** Tells the listener what the others publish from now on. Answers what ends that. */
  readonly subscribe: (listener: RoomListener) => () => void;
  /** Leaves the others. Called more than once it does nothing more. */
  readonly dispose: () => MaybePromise<void>;
}
