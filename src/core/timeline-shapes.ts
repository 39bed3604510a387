// What happened in runs, without when. Most runs of a circuit do the same in the same order:
// they share one shape, and each notes nothing but times. A shape grows by the run that made it
// alone; a run is on one as long as what it does stands there next, or has its own.
// docs/decisions/0006-watching.md has the figures.

import type { BusAccess } from "./recorder.js";
import type { TimelineEvent } from "./timeline.js";

/** How many places an event takes: what it is, and whose. */
const EVENT = 2;
/** An access: of which node, what it did, to which key. */
const ACCESS = 3;

/** Paths through a circuit that most of its runs take. */
const MAX_SHAPES = 4;
const MAX_EVENTS = 200;

// What stands in the first place of an event. Above OTHER: that a node was left, and how.
export const ENTER = 0;
export const OTHER = 1;
export const EXIT = 2;

/** Somebody who has something of each node, which stays: asked once for all runs of a shape. */
export interface NodeFinder<T> {
  readonly of: (node: string) => T;
}

export interface FoundExit<T> {
  readonly at: number;
  readonly entered: number;
  readonly code: number;
  readonly found: T;
}

export class Shape {
  readonly #events: unknown[];
  readonly #accesses: string[];
  #finder: NodeFinder<unknown> | undefined;
  #exits: FoundExit<unknown>[] = [];
  #exitsTo = 0;
  /** The one that this was compared with last, how far it was then, and up to which event both are the same. */
  #like: Shape | undefined;
  #comparedTo = 0;
  #likeTo = 0;

  constructor(events: unknown[] = [], accesses: string[] = []) {
    this.#events = events;
    this.#accesses = accesses;
  }

  get size(): number {
    return this.#events.length / EVENT;
  }

  codeAt(event: number): number {
    return this.#events[event * EVENT] as number;
  }

  /** The node that was entered; of one that was left, which event had it entered; any other event. */
  whoseAt(event: number): unknown {
    return this.#events[event * EVENT + 1];
  }

  accessAt(access: number): { readonly node: string; readonly access: BusAccess; readonly key: string } {
    const at = access * ACCESS;
    const [node, did, key] = this.#accesses.slice(at, at + ACCESS) as [string, BusAccess, string];
    return { node, access: did, key };
  }

  hasEvent(event: number, code: number, whose: unknown): boolean {
    const at = event * EVENT;
    if (this.#events[at] !== code) return false;
    const known = this.#events[at + 1];
    return known === whose || (code === OTHER && isAlike(known as TimelineEvent, whose as TimelineEvent));
  }

  hasAccess(access: number, node: string, did: BusAccess, key: string): boolean {
    const at = access * ACCESS;
    const accesses = this.#accesses;
    return accesses[at + 2] === key && accesses[at] === node && accesses[at + 1] === did;
  }

  addEvent(code: number, whose: unknown): void {
    this.#events.push(code, whose);
  }

  addAccess(node: string, did: BusAccess, key: string): void {
    this.#accesses.push(node, did, key);
  }

  /** The nodes that were left, with what `finder` has of them, looked up once for each shape. */
  exitsOf<T>(finder: NodeFinder<T>): readonly FoundExit<T>[] {
    if (this.#finder !== finder) {
      this.#finder = finder;
      this.#exits = [];
      this.#exitsTo = 0;
    }
    for (; this.#exitsTo < this.size; this.#exitsTo += 1) {
      const at = this.#exitsTo;
      const code = this.codeAt(at);
      if (code < EXIT) continue;
      const entered = this.whoseAt(at) as number;
      this.#exits.push({ at, entered, code, found: finder.of(this.whoseAt(entered) as string) });
    }
    return this.#exits as FoundExit<T>[];
  }

  /** Whether both begin with the same events, up to event `to`: compared once for each shape. */
  isLike(other: Shape, to: number): boolean {
    if (this.#like !== other || (to > this.#likeTo && this.size > this.#comparedTo)) {
      const size = Math.min(this.size, other.size);
      let at = 0;
      while (at < size && this.hasEvent(at, other.codeAt(at), other.whoseAt(at))) at += 1;
      this.#like = other;
      this.#comparedTo = this.size;
      this.#likeTo = at;
    }
    return to <= this.#likeTo;
  }

  agrees(other: Shape, events: number, accesses: number): boolean {
    for (let at = 0; at < events; at += 1)
      if (!this.hasEvent(at, other.codeAt(at), other.whoseAt(at))) return false;
    for (let at = 0; at < accesses * ACCESS; at += 1)
      if (this.#accesses[at] !== other.#accesses[at]) return false;
    return true;
  }

  begun(events: number, accesses: number): Shape {
    return new Shape(this.#events.slice(0, events * EVENT), this.#accesses.slice(0, accesses * ACCESS));
  }
}

const NOTHING = new Shape();

export class Shapes {
  /** What the last run had is most likely what the next one has. */
  last: Shape = NOTHING;
  readonly #known: Shape[] = [];

  /** Another that begins as `shape` does and goes on with what `fits` asks for. */
  find(shape: Shape, events: number, accesses: number, fits: (other: Shape) => boolean): Shape | undefined {
    return this.#known.find(
      (other) => other !== shape && fits(other) && other.agrees(shape, events, accesses),
    );
  }

  remember(shape: Shape): void {
    if (shape.size > MAX_EVENTS) return;
    this.last = shape;
    const known = this.#known;
    const at = known.indexOf(shape);
    if (at >= 0 && at === known.length - 1) return;
    // The one that was not had for longest gives way: of some runs each has its own.
    if (at >= 0) known.splice(at, 1);
    else if (known.length >= MAX_SHAPES) known.shift();
    known.push(shape);
  }
}

/** Whether two events differ in nothing but when they were. */
function isAlike(one: TimelineEvent, other: TimelineEvent): boolean {
  if (one.kind !== other.kind || one.node !== other.node) return false;
  const [a, b] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => name === "at_us" || (Object.hasOwn(b, name) && Object.is(a[name], b[name])))
  );
}
