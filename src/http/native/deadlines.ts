// What must have happened by a certain time: bodies that have not arrived whole, runs that
// wait. A timer for each would cost more than most of them take: this costs two pointers,
// and one timer for all.
//
//   DL1. All of one list have the same time, so that they are due in the order in which
//        they began: mostly that in which they are added. There is a list for each time
//        that is asked for.

/** How exact a deadline is. */
const TICK_MS = 250;

/** Something that has to happen in time. A class of its own saves a function for each. */
export abstract class Deadline {
  expires = Number.POSITIVE_INFINITY;
  previous: Deadline = this;
  next: Deadline = this;

  /** Called where it has not. */
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

/** The deadlines of one time limit. */
export class Deadlines {
  readonly #ticks: number;
  readonly #ends: Deadline;
  #now = 0;

  constructor(timeoutMs: number) {
    this.#ticks = Math.max(1, Math.ceil(timeoutMs / TICK_MS));
    this.#ends = new CalledDeadline(() => {});
  }

  /** In ticks: what time begins with that `add` is told of later. */
  get now(): number {
    return this.#now;
  }

  /** Calls `expire` when the time is up that began `since`, unless removed before. */
  add(expire: () => void, since = this.#now): Deadline {
    const deadline = new CalledDeadline(expire);
    this.append(deadline, since);
    return deadline;
  }

  /** The same of one that knows what to do. */
  append(deadline: Deadline, since = this.#now): void {
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

/** Keeps the time of its lists. */
export class Timetable {
  readonly #lists = new Map<number, Deadlines>();
  #timer: NodeJS.Timeout | undefined;

  /** The list of this time limit: to be asked for when a route is made, not for each request. */
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
