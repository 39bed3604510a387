// Finds lost messages of watched rooms by the numbers of those that arrive.
//
//   RG1. A mark of a room, the number of its newest message, arrives behind all messages that were
//        published before it: what is missing then does not arrive any more.
//   RG2. A counter begins at the second of its first message times 1 000 000. One that was lost, or was
//        silent for a day, begins anew far above: then it is unknown how many messages are missing.
//   RG3. A message that this process published is not missing, whether it comes back or not: its members
//        have it.

export const NUMBERS_A_SECOND = 1_000_000;

/** Numbers of own messages that may be in a gap; with more of them its size is unknown. */
const MAX_OWN = 10_000;
/** The counter of the room did not exist when it was marked. */
const NONE = 0;

interface Watched {
  watchers: number;
  /** Of the newest message that arrived or was marked; undefined before. */
  last: number | undefined;
  /** Messages may have been lost before it was marked. */
  isUnsure: boolean;
  isMarked: boolean;
  /** Of own messages behind `last`. */
  own: number[];
}

export class RoomGaps {
  readonly #rooms = new Map<string, Watched>();
  readonly #missed: (topic: string, count: number | undefined) => void;

  constructor(missed: (topic: string, count: number | undefined) => void) {
    this.#missed = missed;
  }

  /** Topics of which no mark has arrived since the connection began. */
  get unmarked(): readonly string[] {
    return [...this.#rooms].filter(([, { isMarked }]) => !isMarked).map(([topic]) => topic);
  }

  /** True if its topic was not watched before. */
  watch(topic: string, isConnected: boolean): boolean {
    const known = this.#rooms.get(topic);
    if (known !== undefined) known.watchers += 1;
    else {
      const isUnsure = !isConnected;
      this.#rooms.set(topic, { watchers: 1, last: undefined, isUnsure, isMarked: false, own: [] });
    }
    return known === undefined;
  }

  unwatch(topic: string): void {
    const room = this.#rooms.get(topic);
    if (room === undefined) return;
    room.watchers -= 1;
    if (room.watchers === 0) this.#rooms.delete(topic);
  }

  /** From now on nothing arrives, until each topic is marked again. */
  disconnected(): void {
    for (const room of this.#rooms.values()) {
      room.isMarked = false;
      room.isUnsure ||= room.last === undefined;
    }
  }

  /** Asks for marks of all topics. */
  doubt(): void {
    for (const room of this.#rooms.values()) room.isMarked = false;
  }

  /** Redis has taken a message of this process. */
  sent(topic: string, number: number): void {
    const room = this.#rooms.get(topic);
    if (room === undefined || number <= (room.last ?? NONE)) return;
    if (room.own.length <= MAX_OWN) room.own.push(number);
  }

  arrived(topic: string, number: number): void {
    const room = this.#rooms.get(topic);
    if (room === undefined) return;
    const { last } = room;
    room.last = number;
    if (last !== undefined) this.#compare(topic, room, last, number - 1);
    if (room.own.length > 0) room.own = room.own.filter((own) => own > number);
  }

  marked(topic: string, number: number | undefined): void {
    const room = this.#rooms.get(topic);
    if (room === undefined) return;
    const { last, isUnsure } = room;
    Object.assign(room, { last: number ?? NONE, isUnsure: false, isMarked: true });
    if (last === undefined) {
      if (isUnsure) this.#missed(topic, undefined);
    } else if (number !== undefined) this.#compare(topic, room, last, number);
    else if (last !== NONE) this.#missed(topic, undefined);
    room.own = room.own.filter((own) => own > (number ?? NONE));
  }

  /** `upTo` is the newest message that should have arrived by now. */
  #compare(topic: string, { own }: Watched, last: number, upTo: number): void {
    const before = last === NONE ? upTo - (upTo % NUMBERS_A_SECOND) : last;
    const missing = upTo - before;
    if (missing === 0) return;
    const isKnown = missing > 0 && missing < NUMBERS_A_SECOND / 2 && own.length <= MAX_OWN;
    const others = missing - own.filter((number) => number > before && number <= upTo).length;
    if (!isKnown) this.#missed(topic, undefined);
    else if (others > 0) this.#missed(topic, others);
  }
}
