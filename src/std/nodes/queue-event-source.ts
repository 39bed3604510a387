import type { EventSource } from "#core/bus/event.js";
import { invalidOption } from "#core/invalid-option.js";

export interface QueueOptions {
  /** Maximum number of queued events. Default 1000. */
  readonly capacity?: number;
  /** If the queue is full: refuses the new event (`send` returns false), or drops the oldest. Default "refuse-new". */
  readonly overflow?: "refuse-new" | "drop-oldest";
}

type Reader<E> = (result: IteratorResult<E, undefined>) => void;

const END = Object.freeze({ done: true, value: undefined });

/**
 * An EventSource in memory. Call `send` to queue an event: it is an EventSink too, so the events of
 * one Axon can be the inputs of another.
 */
export class QueueEventSource<E> implements EventSource<E> {
  readonly #capacity: number;
  readonly #dropsOldest: boolean;
  /** Events by number, from #first up to #next: a Map deletes its first entry in constant time. */
  readonly #events = new Map<number, E>();
  #first = 0;
  #next = 0;
  /** Waiting readers, in order. Empty while events are queued. */
  readonly #readers = new Set<Reader<E>>();
  #closed = false;
  #lost = 0;

  constructor({ capacity = 1000, overflow = "refuse-new" }: QueueOptions = {}) {
    const invalid = (option: string, remedy: string): Error =>
      invalidOption(`QueueEventSource({ ${option} })`, remedy);
    if (!Number.isSafeInteger(capacity) || capacity < 1)
      throw invalid(`capacity: ${capacity}`, "capacity must be a positive integer");
    if (overflow !== "refuse-new" && overflow !== "drop-oldest")
      throw invalid(
        `overflow: ${JSON.stringify(overflow)}`,
        'overflow must be "refuse-new" or "drop-oldest"',
      );
    this.#capacity = capacity;
    this.#dropsOldest = overflow === "drop-oldest";
  }

  /** Number of queued events. */
  get size(): number {
    return this.#events.size;
  }

  /** Number of events that were refused or dropped because the queue was full. */
  get lost(): number {
    return this.#lost;
  }

  /** Returns whether the event was queued. Always false after `close`. */
  send(event: E): boolean {
    if (this.#closed) return false;
    const [reader] = this.#readers;
    if (reader !== undefined) {
      this.#readers.delete(reader);
      reader({ done: false, value: event });
      return true;
    }
    if (this.#events.size >= this.#capacity) {
      this.#lost += 1;
      if (!this.#dropsOldest) return false;
      this.#take();
    }
    this.#events.set(this.#next, event);
    this.#next += 1;
    return true;
  }

  close(): void {
    this.#closed = true;
    for (const reader of this.#readers) reader(END);
    this.#readers.clear();
  }

  /** A reader. Several readers share the events: each event is delivered to one of them. */
  [Symbol.asyncIterator](): AsyncIterator<E, undefined> {
    const waiting = new Set<Reader<E>>();
    let left = false;
    return {
      next: async () => {
        if (left) return END;
        if (this.#events.size > 0) return { done: false, value: this.#take() };
        if (this.#closed) return END;
        return new Promise((answer) => {
          const reader: Reader<E> = (result) => {
            waiting.delete(reader);
            answer(result);
          };
          waiting.add(reader);
          this.#readers.add(reader);
        });
      },
      // A reader that leaves must not take an event with it.
      return: async () => {
        left = true;
        for (const reader of waiting) {
          this.#readers.delete(reader);
          reader(END);
        }
        return END;
      },
    };
  }

  #take(): E {
    const event = this.#events.get(this.#first) as E;
    this.#events.delete(this.#first);
    this.#first += 1;
    return event;
  }
}
