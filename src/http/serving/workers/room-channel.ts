import { roomBytes } from "#core/wire/room-bytes.js";

/** A message to a room, sent between a worker and its supervisor. */
export interface RoomMessage {
  readonly framework: "room";
  readonly topic: string;
  readonly message: string | Uint8Array;
  readonly binary: boolean;
}

export const isRoomMessage = (message: unknown): message is RoomMessage =>
  (message as Partial<RoomMessage> | null)?.framework === "room";

/** Bytes that may wait in a process for one channel. */
const MAX_WAITING_BYTES = 16_777_216;

/** Like `process.send` with a callback: calls `done` when the channel has accepted or dropped the message. */
export type SendMessage = (message: RoomMessage, done: () => void) => void;

/** One end of a channel between two processes. The channel buffers unread messages without a bound, so they are counted here. */
export class RoomChannel {
  readonly #send: SendMessage;
  readonly #maxBytes: number;
  #waitingBytes = 0;

  /** `maxBytes` is for tests. */
  constructor(send: SendMessage, maxBytes = MAX_WAITING_BYTES) {
    this.#send = send;
    this.#maxBytes = maxBytes;
  }

  /** Returns true if the message was sent, false above `maxBytes`. Throws errors of `send`. */
  post(message: RoomMessage): boolean {
    const bytes = roomBytes(message.topic, message.message);
    if (this.#waitingBytes + bytes > this.#maxBytes) return false;
    this.#send(message, () => {
      this.#waitingBytes -= bytes;
    });
    this.#waitingBytes += bytes;
    return true;
  }
}
