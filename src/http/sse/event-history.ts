// The newest events of a channel, as they go out: what a client gets that comes back, or
// that could not take them in time.
//
//   EH1. Events have numbers without a gap, from 1. What is kept is always the newest of
//        them, so that what a client lacks is known by the number of its last one alone.
//   EH2. It is bounded twice, by number and by bytes; the newest event is always kept.

/** What a filter sees of an event: texts that its publisher gave, and no data. */
export interface EventLabels {
  readonly id: string;
  /** Its name; "message" where it has none. */
  readonly event: string;
  /** "" where it has none. */
  readonly topic: string;
}

export interface KeptEvent {
  readonly number: number;
  readonly labels: EventLabels;
  /** As it goes to every client. */
  readonly bytes: Uint8Array;
}

export interface HistoryBounds {
  readonly events: number;
  readonly bytes: number;
}

export class EventHistory {
  readonly #bounds: HistoryBounds;
  /** A ring: the event of a number stands at the number's place. */
  readonly #ring: (KeptEvent | undefined)[] = [];
  /** By their ids; of two with one id the newer. */
  readonly #numbers = new Map<string, number>();
  #newest = 0;
  #oldest = 1;
  #bytes = 0;
  #idBefore: string;

  /** `idBefore` stands for what was before the first event. */
  constructor(bounds: HistoryBounds, idBefore: string) {
    this.#bounds = bounds;
    this.#idBefore = idBefore;
  }

  /** The number of the newest event, 0 before there is one. */
  get newest(): number {
    return this.#newest;
  }

  /** The number of the oldest that is kept; the next one's where none is. */
  get oldest(): number {
    return this.#oldest;
  }

  /** The id of the event of this number, or of what is before the oldest; undefined of what is no longer kept. */
  idOf(number: number): string | undefined {
    return number === this.#oldest - 1 ? this.#idBefore : this.at(number)?.labels.id;
  }

  at(number: number): KeptEvent | undefined {
    if (number < this.#oldest || number > this.#newest) return undefined;
    return this.#ring[number % this.#bounds.events];
  }

  /** Of the event of this id, if all that followed it is kept. */
  numberOf(id: string): number | undefined {
    return id === this.#idBefore ? this.#oldest - 1 : this.#numbers.get(id);
  }

  /** Whether an event of so many bytes takes the place of older ones. */
  displaces(bytes: number): boolean {
    return this.#oldest <= this.#newest && this.#isFull(bytes);
  }

  append(labels: EventLabels, bytes: Uint8Array): KeptEvent {
    while (this.displaces(bytes.length)) this.#drop();
    const number = this.#newest + 1;
    const kept: KeptEvent = { number, labels, bytes };
    this.#newest = number;
    this.#bytes += bytes.length;
    this.#ring[number % this.#bounds.events] = kept;
    this.#numbers.set(labels.id, number);
    return kept;
  }

  #isFull(bytes: number): boolean {
    return this.#newest - this.#oldest + 1 >= this.#bounds.events || this.#bytes + bytes > this.#bounds.bytes;
  }

  #drop(): void {
    const { labels, bytes, number } = this.at(this.#oldest) as KeptEvent;
    if (this.#numbers.get(labels.id) === number) this.#numbers.delete(labels.id);
    this.#ring[number % this.#bounds.events] = undefined;
    this.#bytes -= bytes.length;
    this.#idBefore = labels.id;
    this.#oldest += 1;
  }
}
