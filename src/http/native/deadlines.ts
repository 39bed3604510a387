// Deadlines of bodies and runs: one timer for all, and one sorted list per time limit, so that a new
// deadline is usually appended at the end.

/** Precision of deadlines. */
const TICK_MS = 250;

/** A class, to save one closure per deadline. */
export abstract class Deadline {
  expires = Number.POSITIVE_INFINITY;
  previous: Deadline = this;
  next: Deadline = this;

  abstract expire(): void;
}

class CalledDeadline extends Deadline {
  readonly #call: () => void;

  constructor(call: () => void) {
    super();
    this.#call = call;
  }

  expire(): void {
    this.#call();
  }
}

export class Deadlines {
  readonly #ticks: number;
  readonly #ends: Deadline;
  /** Current time in ticks, for `since` and `msSince`. */
  now = 0;

  constructor(timeoutMs: number) {
    this.#ticks = Math.max(1, Math.ceil(timeoutMs / TICK_MS));
    this.#ends = new CalledDeadline(() => {});
  }

  msSince(then: number): number {
    return (this.now - then) * TICK_MS;
  }

  add(expire: () => void, since = this.now): Deadline {
    const deadline = new CalledDeadline(expire);
    this.append(deadline, since);
    return deadline;
  }

  append(deadline: Deadline, since = this.now): void {
    const expires = since + this.#ticks;
    let next = this.#ends;
    while (next.previous !== this.#ends && next.previous.expires > expires) next = next.previous;
    const { previous } = next;
    deadline.expires = expires;
    deadline.previous = previous;
    deadline.next = next;
    previous.next = deadline;
    next.previous = deadline;
  }

  /** A second call has no effect. */
  remove(deadline: Deadline): void {
    const { previous, next } = deadline;
    previous.next = next;
    next.previous = previous;
    deadline.previous = deadline;
    deadline.next = deadline;
  }

  /** @internal */
  tick(): void {
    this.now += 1;
    for (let due = this.#ends.next; due.expires < this.now; due = this.#ends.next) {
      this.remove(due);
      due.expire();
    }
  }
}

export class Timetable {
  readonly #lists = new Map<number, Deadlines>();
  #timer: NodeJS.Timeout | undefined;

  /** Call it when a route is mounted, not per request. */
  of(timeoutMs: number): Deadlines {
    let list = this.#lists.get(timeoutMs);
    if (list === undefined) {
      list = new Deadlines(timeoutMs);
      this.#lists.set(timeoutMs, list);
    }
    return list;
  }

  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @internal */
  tick(): void {
    for (const list of this.#lists.values()) list.tick();
  }
}
