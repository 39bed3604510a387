import { RoomLosses } from "#core/ports/room-listeners.js";
import type { RoomMessage } from "./room-channel.js";

/** A worker as the relay sees it. */
export interface RelayedWorker {
  /** Before it listens, what it is sent would be kept for it without a bound. */
  readonly serves: boolean;
  /** Whether it was sent. */
  tellRoom(message: RoomMessage): boolean;
}

/** The supervisor's part in `workerRooms()`: tells the other workers what one published. */
export class RoomRelay<W extends RelayedWorker> {
  readonly #losses: RoomLosses;

  constructor(report: (message: string) => void) {
    this.#losses = new RoomLosses(report);
  }

  relay(message: RoomMessage, from: W, workers: Iterable<W>): void {
    for (const worker of workers)
      if (worker !== from && worker.serves && !worker.tellRoom(message))
        this.#losses.add("a worker does not take what the others publish");
  }
}
