import type { RoomBus, RoomListener } from "#core/ports/room-bus.js";
import { RoomListeners } from "#core/ports/room-listeners.js";
import { isRoomMessage, RoomChannel, type SendMessage } from "./room-channel.js";
import { isWorker } from "./worker-mark.js";

/** The worker's end of its channel to the supervisor. */
export interface SupervisorChannel {
  /** True while the supervisor is connected. */
  readonly isOpen: () => boolean;
  readonly send: SendMessage;
  /** Calls `listener` with each message. Returns a function that removes the listener. */
  readonly receive: (listener: (message: unknown) => void) => () => void;
}

/**
 * Joins the rooms of the workers of one supervisor, over its existing channels to them. Each process
 * on the way buffers up to 16 MiB of unread messages; further messages are lost. In a process that
 * is not a worker it publishes nothing. Create one per program.
 */
export const workerRooms = (): RoomBus => new WorkerRooms(ownChannel);

/** @internal */
export class WorkerRooms implements RoomBus {
  readonly perMachine = "the rooms of the workers of its machine";
  readonly #channel: SupervisorChannel;
  readonly #outgoing: RoomChannel;
  readonly #listeners = new RoomListeners();
  #stopReceiving: (() => void) | undefined;
  #isDisposed = false;

  /** `maxWaitingBytes` is for tests. */
  constructor(channel: SupervisorChannel, maxWaitingBytes?: number) {
    this.#channel = channel;
    this.#outgoing = new RoomChannel(channel.send, maxWaitingBytes);
  }

  readonly publish = (topic: string, message: string | Uint8Array, binary: boolean): void => {
    if (this.#isDisposed || !this.#channel.isOpen()) return;
    try {
      if (!this.#outgoing.post({ framework: "room", topic, message, binary }))
        this.#listeners.lost("the supervisor does not take them");
    } catch (error) {
      this.#listeners.lost("they could not be sent", error);
    }
  };

  readonly subscribe = (listener: RoomListener): (() => void) => {
    if (this.#isDisposed) return () => {};
    this.#stopReceiving ??= this.#channel.receive((message) => {
      if (isRoomMessage(message)) this.#listeners.tell(message.topic, message.message, message.binary);
    });
    return this.#listeners.add(listener);
  };

  readonly dispose = (): void => {
    this.#isDisposed = true;
    this.#stopReceiving?.();
    this.#listeners.clear();
  };
}

const ownChannel: SupervisorChannel = {
  isOpen: () => isWorker() && process.connected,
  send: (message, done) => void process.send?.(message, undefined, undefined, done),
  receive(listener) {
    // Without a supervisor the channel belongs to another program, and a listener would keep the process alive.
    if (!isWorker()) return () => {};
    process.on("message", listener);
    return () => process.off("message", listener);
  },
};
