// The newest events, in their order. A push is one assignment; each event is released when
// another takes its place.

import type { FeedEvent } from "../api/events.js";
import type { EventText } from "./figures.js";

export interface KeptEvent {
  readonly seq: number;
  readonly event: FeedEvent;
  /** As JSON, made for the first client. */
  text: EventText | undefined;
}

/** Events of single runs; all other kinds are rare. */
export const isOfRun = (kind: FeedEvent["kind"]): boolean =>
  kind === "node_exit" || kind === "circuit_exit" || kind === "event";

export class FeedRing {
  readonly #slots: (KeptEvent | undefined)[];
  /** How many were ever pushed. */
  #pushed = 0;
  /** The number of the newest evicted event. */
  #evicted = 0;

  constructor(capacity: number) {
    this.#slots = new Array(capacity).fill(undefined);
  }

  get capacity(): number {
    return this.#slots.length;
  }

  get size(): number {
    return Math.min(this.#pushed, this.#slots.length);
  }

  /** Whether an event after this number was evicted. */
  hasGap(after: number): boolean {
    return this.#evicted > after;
  }

  push(event: FeedEvent): void {
    const slot = this.#pushed % this.#slots.length;
    this.#evicted = this.#slots[slot]?.seq ?? this.#evicted;
    this.#slots[slot] = { seq: event.seq, event, text: undefined };
    this.#pushed += 1;
  }

  clear(): void {
    this.#evicted = this.#at(this.#pushed - 1)?.seq ?? this.#evicted;
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
    return this.#slots[Math.max(0, place) % this.#slots.length];
  }
}
