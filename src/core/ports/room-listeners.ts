// The listeners of a RoomBus in this process.

import type { RoomListener } from "./room-bus.js";

export class RoomListeners {
  readonly #losses: RoomLosses;
  // One entry for each subscription: a listener that subscribes twice is called twice.
  readonly #entries = new Set<{ readonly listener: RoomListener }>();

  constructor(now?: () => number) {
    this.#losses = new RoomLosses((message, error) => this.#fail(message, error), now);
  }

  get size(): number {
    return this.#entries.size;
  }

  add(listener: RoomListener): () => void {
    const entry = { listener };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
    };
  }

  tell(topic: string, message: string | Uint8Array, binary: boolean): void {
    for (const { listener } of this.#entries) {
      try {
        listener.message(topic, message, binary);
      } catch (error) {
        this.lost("a listener threw", error);
      }
    }
  }

  lost(why: string, error?: unknown): void {
    this.#losses.add(why, error);
  }

  missed(topic: string, count: number | undefined): void {
    for (const { listener } of this.#entries) listener.missed?.(topic, count);
  }

  clear(): void {
    this.#entries.clear();
  }

  #fail(message: string, error: unknown): void {
    for (const { listener } of this.#entries) listener.failed(message, error);
  }
}

/** Losses come in numbers: they are reported once in so many milliseconds. */
const TOLD_EVERY_MS = 10_000;

export class RoomLosses {
  readonly #tell: (message: string, error: unknown) => void;
  readonly #now: () => number;
  readonly #what: string;
  #untold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    tell: (message: string, error: unknown) => void,
    now: () => number = () => performance.now(),
    what = "Messages to rooms of other processes",
  ) {
    this.#tell = tell;
    this.#now = now;
    this.#what = what;
  }

  add(why: string, error?: unknown): void {
    this.#untold += 1;
    const now = this.#now();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    const message = `${this.#what} were lost: ${this.#untold}, the last because ${why}`;
    this.#untold = 0;
    this.#tell(message, error);
  }
}

// Names of an ingress's topics on a RoomBus. Event feeds may share the bus: a client that
// chooses the name of a room must not reach their topics.

/** Prefix of the framework's own topics. */
export const OWN_TOPICS = "framework:";

const ROOMS = `${OWN_TOPICS}room:`;

export const busTopicOf = (topic: string): string => (topic.startsWith(OWN_TOPICS) ? ROOMS + topic : topic);

export function roomTopicOf(busTopic: string): string | undefined {
  if (!busTopic.startsWith(OWN_TOPICS)) return busTopic;
  return busTopic.startsWith(ROOMS) ? busTopic.slice(ROOMS.length) : undefined;
}
