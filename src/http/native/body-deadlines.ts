// Bodies that have not arrived whole, in the order in which their time is up. A
// timer for each would cost more than most bodies take to arrive: this costs two
// pointers, and one timer for all.

/** How exact a deadline is. */
const TICK_MS = 250;

export interface Deadline {
  readonly expires: number;
  readonly expire: () => void;
  previous: Deadline;
  next: Deadline;
}

export class BodyDeadlines {
  readonly #ticks: number;
  readonly #ends: Deadline;
  #now = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number) {
    this.#ticks = Math.max(1, Math.ceil(timeoutMs / TICK_MS));
    const ends = { expires: Number.POSITIVE_INFINITY, expire: () => {} } as Deadline;
    ends.previous = ends;
    ends.next = ends;
    this.#ends = ends;
  }

  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Calls `expire` when the time is up, unless removed before. */
  add(expire: () => void): Deadline {
    const { previous } = this.#ends;
    const deadline = { expires: this.#now + this.#ticks, expire, previous, next: this.#ends };
    previous.next = deadline;
    this.#ends.previous = deadline;
    return deadline;
  }

  /** Twice is as good as once. */
  remove(deadline: Deadline): void {
    const { previous, next } = deadline;
    previous.next = next;
    next.previous = previous;
    deadline.previous = deadline;
    deadline.next = deadline;
  }

  /** @internal */
  tick(): void {
    this.#now += 1;
    for (let due = this.#ends.next; due.expires < this.#now; due = this.#ends.next) {
      this.remove(due);
      due.expire();
    }
  }
}
