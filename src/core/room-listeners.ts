// What every RoomBus does on its own side.

import type { RoomListener } from "./room-bus.js";
import { RoomLosses } from "./room-losses.js";

export class RoomListeners {
  readonly #losses: RoomLosses;
  // Each in an entry of its own: one that subscribes twice is told twice.
  readonly #entries = new Set<{ readonly listener: RoomListener }>();

  /** `now` is for tests. */
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

  clear(): void {
    this.#entries.clear();
  }

  #fail(message: string, error: unknown): void {
    for (const { listener } of this.#entries) listener.failed(message, error);
  }
}
