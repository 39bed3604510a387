// A channel whose events are kept by the store of the ingresses that serve it. Its clients get events in the
// order of the store, also those of this process, when they arrive from there.

import { reportAsWarning } from "#core/bus/reporter.js";
import type { ChannelEntry, ChannelStore, KeptChannelEvent } from "#core/ports/channel-store.js";
import { configInvalid } from "../refusal/option-checks.js";
import type { PublishedEvent } from "./event-history.js";
import type { FanOut } from "./fan-out.js";

export class StoredChannel {
  readonly #name: string;
  readonly #events: number;
  readonly #fanOut: FanOut;
  #store: ChannelStore | undefined;
  #servers = 0;
  #endFollowing: () => void = () => {};

  constructor(name: string, events: number, fanOut: FanOut) {
    this.#name = name;
    this.#events = events;
    this.#fanOut = fanOut;
  }

  /** True while a server gives it a store. */
  get isUsed(): boolean {
    return this.#store !== undefined;
  }

  publish(event: KeptChannelEvent): void {
    this.#store?.publish(this.#name, event, this.#events);
  }

  /** Until the returned function is called, once. Throws CONFIG_INVALID while another store is used. */
  use(store: ChannelStore): () => void {
    if (this.#store === undefined) this.#begin(store);
    else if (this.#store !== store)
      throw configInvalid(
        `EventChannel '${this.#name}' is served by two ingresses with different stores: make one for each`,
      );
    this.#servers += 1;
    return () => {
      this.#servers -= 1;
      if (this.#servers > 0) return;
      this.#store = undefined;
      this.#endFollowing();
      this.#fanOut.release();
    };
  }

  #begin(store: ChannelStore): void {
    this.#store = store;
    // What a client missed is known when the store has answered.
    this.#fanOut.hold();
    this.#endFollowing = store.follow(this.#name, this.#events, {
      begun: (before, kept) => {
        this.#fanOut.beginAnew(before, kept.map(published));
        this.#fanOut.release();
      },
      event: (entry) => this.#fanOut.publish(published(entry)),
      failed: (message, error) =>
        reportAsWarning({
          code: "ROOMS_FAILED",
          message: `EventChannel '${this.#name}': ${message}`,
          error,
        }),
    });
  }
}

function published({
  id: entryId,
  event: { id = entryId, event, topic, text },
}: ChannelEntry): PublishedEvent {
  return { labels: Object.freeze({ id, event, topic }), bytes: Buffer.from(`id: ${id}\n${text}`) };
}
