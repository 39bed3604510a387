import { requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { RoomBus, RoomListener } from "#core/ports/room-bus.js";
import { RoomListeners } from "#core/ports/room-listeners.js";
import { roomBytes } from "#core/wire/room-bytes.js";

const MAX_BYTES = 2 ** 31;

export interface MemoryRoomsOptions {
  /** Maximum size of each member's queue, in bytes: 1024 to 2 147 483 648. Default 16 MiB. */
  readonly maxWaitingBytes?: number;
}

interface Waiting {
  readonly topic: string;
  readonly message: string | Uint8Array;
  readonly binary: boolean;
  readonly bytes: number;
}

/**
 * Joins rooms of several servers in one process: `join()` makes a member for each. Messages arrive
 * asynchronously. For tests, and for several ingresses of one program.
 */
export class MemoryRooms {
  readonly #maxWaitingBytes: number;
  readonly #members = new Set<Member>();

  /** Throws CONFIG_INVALID. */
  constructor(options: MemoryRoomsOptions = {}) {
    requireKnownOptions("MemoryRooms", options, ["maxWaitingBytes"]);
    const { maxWaitingBytes = 16_777_216 } = options;
    this.#maxWaitingBytes = requireWhole("MemoryRooms", "maxWaitingBytes", maxWaitingBytes, 1024, MAX_BYTES);
  }

  join(): RoomBus {
    const member = new Member(this.#members, this.#maxWaitingBytes);
    this.#members.add(member);
    return member;
  }
}

class Member implements RoomBus {
  readonly perProcess = "the members of its rooms in memory, which other processes do not see";
  readonly #members: Set<Member>;
  readonly #maxBytes: number;
  readonly #listeners = new RoomListeners();
  #waiting: Waiting[] = [];
  #waitingBytes = 0;

  constructor(members: Set<Member>, maxBytes: number) {
    this.#members = members;
    this.#maxBytes = maxBytes;
  }

  readonly publish = (topic: string, message: string | Uint8Array, binary: boolean): void => {
    if (!this.#members.has(this)) return;
    const bytes = roomBytes(topic, message);
    // A copy: the caller may overwrite its bytes before they arrive.
    const copy = typeof message === "string" ? message : new Uint8Array(message);
    const sent = { topic, message: copy, binary, bytes };
    for (const member of this.#members)
      if (member !== this && !member.#take(sent))
        this.#listeners.lost(`${this.#maxBytes} bytes wait for a member already`);
  };

  readonly subscribe = (listener: RoomListener): (() => void) =>
    this.#members.has(this) ? this.#listeners.add(listener) : () => {};

  readonly dispose = (): void => {
    this.#members.delete(this);
    this.#listeners.clear();
    this.#waiting = [];
  };

  #take(message: Waiting): boolean {
    if (this.#waitingBytes + message.bytes > this.#maxBytes) return false;
    if (this.#waiting.length === 0) setImmediate(() => this.#deliver());
    this.#waiting.push(message);
    this.#waitingBytes += message.bytes;
    return true;
  }

  #deliver(): void {
    const arrived = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const { topic, message, binary } of arrived) this.#listeners.tell(topic, message, binary);
  }
}
