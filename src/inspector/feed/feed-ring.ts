// The newest events, in their order. A push is one assignment; each event is released when
// another takes its place.

import type { FeedEvent } from "../api/events.js";

export interface KeptEvent {
  readonly seq: number;
  readonly event: FeedEvent;
  /** As JSON, made for the first client. */
  text: string | undefined;
}

export class FeedRing {
  readonly #slots: (KeptEvent | undefined)[];
  /** How many were ever pushed. */
  #pushed = 0;

  constructor(capacity: number) {
    this.#slots = new Array(capacity).fill(undefined);
  }

  get capacity(): number {
    return this.#slots.length;
  }

  get size(): number {
    return Math.min(this.#pushed, this.#slots.length);
  }

  push(event: FeedEvent): void {
    this.#slots[this.#pushed % this.#slots.length] = { seq: event.seq, event, text: undefined };
    this.#pushed += 1;
  }

  clear(): void {
    this.#slots.fill(undefined);
  }

  *after(seq: number): Iterable<KeptEvent> {
    for (let at = this.#from(seq); at < this.#pushed; at += 1) {
      const kept = this.#at(at);
      if (kept !== undefined) yield kept;
    }
  }

  /** The place of the first event after a number. */
  #from(seq: number): number {
    let low = this.#pushed - this.size;
    let high = this.#pushed;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#at(middle)?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #at(place: number): KeptEvent | undefined {
    return this.#slots[place % this.#slots.length];
  }
}
