// The newest events of a channel, as text. They are numbered from 1 without gaps, so the number of a
// client's last event determines its missing events. Bounded by number and bytes; the newest event
// is always kept.

/** Labels of an event for filters, without its data. */
export interface EventLabels {
  readonly id: string;
  /** Default "message". */
  readonly event: string;
  /** Default "". */
  readonly topic: string;
}

export interface PublishedEvent {
  readonly labels: EventLabels;
  readonly bytes: Uint8Array;
}

export interface KeptEvent extends PublishedEvent {
  readonly number: number;
}

export interface HistoryBounds {
  readonly events: number;
  readonly bytes: number;
}

export class EventHistory {
  readonly #bounds: HistoryBounds;
  /** Ring buffer, indexed by number. */
  #ring: (KeptEvent | undefined)[] = [];
  /** Numbers by id. For a duplicate id, the newer event. */
  readonly #numbers = new Map<string, number>();
  /** Number of the newest event; 0 before the first. */
  newest = 0;
  /** Number of the oldest kept event; the next number if none is kept. */
  oldest = 1;
  #bytes = 0;
  #idBefore: string;

  /** `idBefore` is the id of the position before the first event. */
  constructor(bounds: HistoryBounds, idBefore: string) {
    this.#bounds = bounds;
    this.#idBefore = idBefore;
  }

  /** The id of an event, or of the position before the oldest; undefined for an evicted event. */
  idOf(number: number): string | undefined {
    return number === this.oldest - 1 ? this.#idBefore : this.at(number)?.labels.id;
  }

  at(number: number): KeptEvent | undefined {
    if (number < this.oldest || number > this.newest) return undefined;
    return this.#ring[number % this.#bounds.events];
  }

  /** The number of an event; undefined if a later event was evicted. */
  numberOf(id: string): number | undefined {
    return id === this.#idBefore ? this.oldest - 1 : this.#numbers.get(id);
  }

  /** True if an event of this size would evict others. */
  displaces(bytes: number): boolean {
    return this.oldest <= this.newest && this.#isFull(bytes);
  }

  /** Evicts all events. No client has the position that it begins behind: each lost what it lacks. */
  beginAnew(idBefore: string): void {
    this.#ring = [];
    this.#numbers.clear();
    this.#bytes = 0;
    this.#idBefore = idBefore;
    this.newest += 1;
    this.oldest = this.newest + 1;
  }

  append({ labels, bytes }: PublishedEvent): KeptEvent {
    while (this.displaces(bytes.length)) this.#drop();
    const number = this.newest + 1;
    const kept: KeptEvent = { number, labels, bytes };
    this.newest = number;
    this.#bytes += bytes.length;
    this.#ring[number % this.#bounds.events] = kept;
    this.#numbers.set(labels.id, number);
    return kept;
  }

  #isFull(bytes: number): boolean {
    return this.newest - this.oldest + 1 >= this.#bounds.events || this.#bytes + bytes > this.#bounds.bytes;
  }

  #drop(): void {
    const { labels, bytes, number } = this.at(this.oldest) as KeptEvent;
    if (this.#numbers.get(labels.id) === number) this.#numbers.delete(labels.id);
    this.#ring[number % this.#bounds.events] = undefined;
    this.#bytes -= bytes.length;
    this.#idBefore = labels.id;
    this.oldest += 1;
  }
}
