import type { RoomBus, RoomListener } from "#core/ports/room-bus.js";
import { RoomListeners } from "#core/ports/room-listeners.js";
import { isRoomMessage, RoomChannel, type SendMessage } from "./room-channel.js";
import { isWorker } from "./worker-mark.js";

/** The worker's end of its channel to the supervisor. */
export interface SupervisorChannel {
  /** Whether somebody is at the other end. */
  readonly isOpen: () => boolean;
  readonly send: SendMessage;
  /** Calls it with each message that arrives. Answers what ends that. */
  readonly receive: (listener: (message: unknown) => void) => () => void;
}

/**
 * Joins the rooms of the workers of one supervisor, over the channels that it has to them
 * anyway. Of what one process publishes and another does not take, 16 MiB wait in each
 * process on the way; what is above that is lost. In a process that is no worker there is
 * nobody to be told. Make one for a program.
 */
export const workerRooms = (): RoomBus => new WorkerRooms(ownChannel);

/** @internal */
export class WorkerRooms implements RoomBus {
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
    // Where nobody supervises it, a channel is somebody else's; and a listener would keep the process.
    if (!isWorker()) return () => {};
    process.on("message", listener);
    return () => process.off("message", listener);
  },
};
