// The port that joins the rooms of the processes of one service.

import type { MaybePromise } from "../bus/outcome-types.js";

export interface RoomListener {
  /**
   * Receives one message, in order of arrival. `binary` is the kind to send, not the type of the
   * argument: a text may be passed as UTF-8 bytes. The bytes must not be changed.
   */
  readonly message: (topic: string, message: string | Uint8Array, binary: boolean) => void;
  /** Reports lost messages, rarely and many at once, as ROOMS_FAILED. Must not throw. */
  readonly failed: (message: string, error?: unknown) => void;
  /**
   * Reports that messages of a watched topic did not arrive: how many; undefined where that is unknown.
   * Must not throw.
   */
  readonly missed?: (topic: string, count: number | undefined) => void;
}

/**
 * Joins the rooms of one process with those of the others. The implementer must guarantee:
 *
 * - Each other process gets a published message at most once, in order. The publisher does not.
 * - Publishing never waits, throws or rejects. The send queue is bounded. Losses are reported to
 *   the listener's `failed`.
 * - A listener that throws does not keep a message from the other listeners.
 * - After `dispose` no listener is called.
 */
export interface RoomBus {
  /** Set if it reaches only its own process: the state kept there. */
  readonly perProcess?: string;
  /** Set if it reaches only processes of its own machine: the state kept there. */
  readonly perMachine?: string;
  /** Publishes to the others. The caller may reuse the bytes when it returns. Text given as bytes is UTF-8. */
  readonly publish: (topic: string, message: string | Uint8Array, binary: boolean) => void;
  /** Delivers messages of the others to the listener from now on. Returns a function that ends that. */
  readonly subscribe: (listener: RoomListener) => () => void;
  /**
   * Looks for gaps in the messages of the topic from now on, for `missed` of its listeners. Returns a
   * function that ends that. A bus without it never knows of a gap.
   */
  readonly watch?: (topic: string) => () => void;
  /** Disconnects from the others. Idempotent. */
  readonly dispose: () => MaybePromise<void>;
}
