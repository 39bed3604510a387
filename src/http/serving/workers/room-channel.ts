import { roomBytes } from "#core/wire/room-bytes.js";

/** A message to a room on its way between a worker and its supervisor. */
export interface RoomMessage {
  readonly framework: "room";
  readonly topic: string;
  readonly message: string | Uint8Array;
  readonly binary: boolean;
}

export const isRoomMessage = (message: unknown): message is RoomMessage =>
  (message as Partial<RoomMessage> | null)?.framework === "room";

/** What may wait in a process for one channel to take it. */
const MAX_WAITING_BYTES = 16_777_216;

/** As `process.send` with a callback: calls `done` once the channel has taken the message, or never will. */
export type SendMessage = (message: RoomMessage, done: () => void) => void;

/** One end of a channel between two processes. It takes messages without end, and keeps what the other side does not read: so what waits is counted here. */
export class RoomChannel {
  readonly #send: SendMessage;
  readonly #maxBytes: number;
  #waitingBytes = 0;

  /** `maxBytes` is for tests. */
  constructor(send: SendMessage, maxBytes = MAX_WAITING_BYTES) {
    this.#send = send;
    this.#maxBytes = maxBytes;
  }

  /** Whether it was sent: not where too much waits. Throws what `send` throws. */
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
