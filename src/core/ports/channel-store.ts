// The port of event channels of several processes.

/** An event as it is kept. */
export interface KeptChannelEvent {
  /** Given by the publisher; undefined: that of its entry in the store. */
  readonly id: string | undefined;
  /** Default "message". */
  readonly event: string;
  /** Default "". */
  readonly topic: string;
  /** Lines of the event without that of its id, with the empty line at the end. */
  readonly text: string;
}

export interface ChannelEntry {
  readonly id: string;
  readonly event: KeptChannelEvent;
}

export interface ChannelListener {
  /**
   * Called first, and again when events between the last one and the next are lost: the channel begins
   * anew behind the entry `before`, with the newest events that the store has. Must not throw.
   */
  readonly begun: (before: string, kept: readonly ChannelEntry[]) => void;
  /** Receives one event, in the order of the store. Must not throw. */
  readonly event: (entry: ChannelEntry) => void;
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
  /** Delivers the newest `events` that are kept, then each new one, until the returned function is called. */
  readonly follow: (channel: string, events: number, listener: ChannelListener) => () => void;
}
