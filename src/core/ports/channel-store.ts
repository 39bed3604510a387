// The port of event channels of several processes.

import type { MaybePromise } from "../bus/outcome-types.js";

/** An event as it is kept: its text has no id, which the store gives. */
interface KeptChannelEvent {
  /** Given by the publisher. Undefined: the id of its entry. */
  readonly id: string | undefined;
  /** Default "message". */
  readonly event: string;
  /** Default "". */
  readonly topic: string;
  /** Lines of the event without that of its id, with the empty line at the end. */
  readonly text: string;
}

interface ChannelListener {
  /** Receives one event, in the order of the store. `id` is that of its entry. Must not throw. */
  readonly event: (id: string, event: KeptChannelEvent) => void;
  /** Events between the last one and the next are lost: a client behind them lost them, too. Must not throw. */
  readonly gap: () => void;
  /** Reports lost events of this process, rarely and many at once. Must not throw. */
  readonly failed: (message: string, error?: unknown) => void;
}

/**
 * Keeps the newest events of channels, for all processes of a service. The implementer must guarantee:
 *
 * - Each process that follows a channel gets each event once, in one order, its own events included.
 * - An event that was published while the store was away is sent when it is back. What waits is bounded:
 *   further events are lost, and reported to `failed`.
 * - `publish` never waits, throws or rejects.
 */
export interface ChannelStore {
  /** Keeps at least the newest `events` of the channel. */
  readonly publish: (channel: string, event: KeptChannelEvent, events: number) => void;
  /**
   * Delivers the newest `events` that are kept, then each new one. Resolves when the kept ones have been
   * delivered; rejects if they cannot be read, and delivers them later then. Returns a function that ends it.
   */
  readonly follow: (
    channel: string,
    events: number,
    listener: ChannelListener,
  ) => { readonly begun: Promise<void>; readonly end: () => MaybePromise<void> };
}
