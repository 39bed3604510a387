import { RoomLosses } from "#core/ports/room-listeners.js";
import type { RoomMessage } from "./room-channel.js";

/** The relay's interface of a worker. */
export interface RelayedWorker {
  /** False before the worker listens: messages would be buffered without a bound. */
  readonly serves: boolean;
  /** Returns true if the message was sent. */
  tellRoom(message: RoomMessage): boolean;
}

/** The supervisor's part of `workerRooms()`: passes messages of one worker to the others. */
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
