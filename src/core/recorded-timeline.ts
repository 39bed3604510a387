// A Timeline while it is written. It notes when, on the shape of the runs before
// (timeline-shapes.ts), and makes events of that for whoever asks: most are never looked at.

import type { BusAccess } from "./recorder.js";
import type { NodeOutcome, Timeline, TimelineEvent } from "./timeline.js";
import {
  ENTER,
  EXIT,
  type FoundExit,
  type NodeFinder,
  OTHER,
  type Shape,
  Shapes,
} from "./timeline-shapes.js";

/** What a node did on the Bus; with what value is not noted. */
export interface NotedAccess {
  readonly node: string;
  readonly access: BusAccess;
  readonly key: string;
}

/** A jump loop of a thousand rounds over five nodes just fits. What more there is is counted. */
const MAX_EVENTS = 10_000;
const MAX_ACCESSES = 500;

const OUTCOMES: readonly NodeOutcome[] = ["next", "fault", "branch", "jump", "emit", "aborted"];

const CODES: Readonly<Record<NodeOutcome, number>> = {
  next: EXIT,
  fault: EXIT + 1,
  branch: EXIT + 2,
  jump: EXIT + 3,
  emit: EXIT + 4,
  aborted: EXIT + 5,
};

export class RecordedTimeline implements Timeline {
  // Written again where a copy becomes that of another run.
  #axon: string;
  #version: string;
  #startedAt: number;
  dropped = 0;
  readonly #shapes: Shapes;
  #shape: Shape;
  /** Whether this run makes its shape, where none fits. */
  #isOwn = false;
  #times: number[];
  #size = 0;
  /** Events of another kind than that a node was entered or left: most runs have none. */
  #others = 0;
  #accessed = 0;
  #events: TimelineEvent[] | null = null;

  /** `shapes` are those of the circuit's runs before. */
  constructor(axon: string, version: string, started_at: number, shapes: Shapes = new Shapes()) {
    this.#axon = axon;
    this.#version = version;
    this.#startedAt = started_at;
    this.#shapes = shapes;
    this.#shape = shapes.last;
    this.#times = new Array(shapes.last.size);
  }

  get axon(): string {
    return this.#axon;
  }

  get version(): string {
    return this.#version;
  }

  get started_at(): number {
    return this.#startedAt;
  }

  get events(): readonly TimelineEvent[] {
    this.#events ??= [];
    for (let at = this.#events.length; at < this.#size; at += 1) this.#events.push(this.#eventAt(at));
    return this.#events;
  }

  get size(): number {
    return this.#size;
  }

  get entered(): number {
    let entered = 0;
    for (let at = 0; at < this.#size; at += 1) if (this.#shape.codeAt(at) === ENTER) entered += 1;
    return entered;
  }

  get last_us(): number {
    return this.#size === 0 ? 0 : (this.#times[this.#size - 1] as number);
  }

  /** Answers which event that is: what `exit` is given. */
  enter(node: string, at_us: number): number {
    return this.#add(ENTER, node, at_us);
  }

  exit(entered: number, at_us: number, outcome: NodeOutcome): void {
    // Where that found no room, neither does this.
    this.#add(CODES[outcome], entered, at_us);
  }

  /** Where times are written of events that it is told of by `follow`, once they are over. */
  get times(): number[] {
    return this.#times;
  }

  /** What stands in `line` has happened, up to its event `to`. */
  follow(line: Shape, to: number): void {
    if (!this.#isOwn && this.#shape.isLike(line, to)) {
      this.#size = to;
      return;
    }
    for (let at = this.#size; at < to; at += 1) {
      this.#place(at, line.codeAt(at), line.whoseAt(at));
      this.#size = at + 1;
    }
  }

  /** A node has read, written or deleted a value, where somebody wants to know. More than MAX_ACCESSES are not noted. */
  access(node: string, access: BusAccess, key: string): void {
    const at = this.#accessed;
    if (at >= MAX_ACCESSES) return;
    if (!this.#isOwn && !this.#shape.hasAccess(at, node, access, key)) this.#partAt(at, node, access, key);
    if (this.#isOwn) this.#shape.addAccess(node, access, key);
    this.#accessed = at + 1;
  }

  get accessed(): number {
    return this.#accessed;
  }

  get accesses(): readonly NotedAccess[] {
    return Array.from({ length: this.#accessed }, (_, at) => this.#shape.accessAt(at));
  }

  add(event: TimelineEvent): void {
    this.#others += 1;
    this.#add(OTHER, event, event.at_us);
  }

  /** Whether there is another event of this kind than that a node was entered or left. */
  has(kind: TimelineEvent["kind"]): boolean {
    if (this.#others === 0) return false;
    for (let at = 0; at < this.#size; at += 1)
      if (this.#shape.codeAt(at) === OTHER && (this.#shape.whoseAt(at) as TimelineEvent).kind === kind)
        return true;
    return false;
  }

  /** The run is over: others may have its shape. */
  end(): void {
    this.#shapes.remember(this.#shape);
  }

  /** Tells each node that was left, without making events, with what `finder` has of it. */
  eachExit<T>(
    finder: NodeFinder<T>,
    tell: (found: T, duration_us: number, outcome: NodeOutcome) => void,
  ): void {
    const times = this.#times;
    const size = this.#size;
    const exits = this.#shape.exitsOf(finder) as readonly FoundExit<T>[];
    for (let i = 0; i < exits.length; i += 1) {
      const { at, entered, code, found } = exits[i] as FoundExit<T>;
      if (at >= size) return;
      tell(found, (times[at] as number) - (times[entered] as number), OUTCOMES[code - EXIT] as NodeOutcome);
    }
  }

  /** Becomes a copy of one whose run is over, in its place: for whoever keeps thousands. */
  copy(other: RecordedTimeline): void {
    this.#axon = other.#axon;
    this.#version = other.#version;
    this.#startedAt = other.#startedAt;
    this.dropped = other.dropped;
    this.#shape = other.#shape;
    this.#times = written(this.#times, other.#times, other.#size);
    this.#size = other.#size;
    this.#others = other.#others;
    this.#accessed = other.#accessed;
    this.#events = null;
  }

  plain(): Timeline {
    const { axon, version, started_at, events, dropped } = this;
    return { axon, version, started_at, events: [...events], dropped };
  }

  toJSON(): Timeline {
    return this.plain();
  }

  #add(code: number, whose: unknown, at_us: number): number {
    const at = this.#size;
    if (at >= MAX_EVENTS) {
      this.dropped += 1;
      return -1;
    }
    this.#place(at, code, whose);
    this.#times[at] = at_us;
    this.#size = at + 1;
    return at;
  }

  #place(at: number, code: number, whose: unknown): void {
    if (!this.#isOwn && !this.#shape.hasEvent(at, code, whose)) this.#partWith(at, code, whose);
    if (this.#isOwn) this.#shape.addEvent(code, whose);
  }

  // Of their own: a closure makes room for what it closes over at each call of what it stands in.
  #partWith(at: number, code: number, whose: unknown): void {
    this.#part((other) => other.hasEvent(at, code, whose));
  }

  #partAt(at: number, node: string, access: BusAccess, key: string): void {
    this.#part((other) => other.hasAccess(at, node, access, key));
  }

  /** The run does something else than those before: goes on as others did, or on its own. */
  #part(fits: (other: Shape) => boolean): void {
    const other = this.#shapes.find(this.#shape, this.#size, this.#accessed, fits);
    this.#isOwn = other === undefined;
    this.#shape = other ?? this.#shape.begun(this.#size, this.#accessed);
  }

  #eventAt(at: number): TimelineEvent {
    const code = this.#shape.codeAt(at);
    const whose = this.#shape.whoseAt(at);
    const at_us = this.#times[at] as number;
    if (code === OTHER) return { ...(whose as TimelineEvent), at_us };
    if (code === ENTER) return { kind: "node_enter", node: whose as string, at_us };
    const entered = whose as number;
    return {
      kind: "node_exit",
      node: this.#shape.whoseAt(entered) as string,
      at_us,
      outcome: OUTCOMES[code - EXIT] as NodeOutcome,
      duration_us: at_us - (this.#times[entered] as number),
    };
  }
}

/** Places that an array may have which is written again. */
const MAX_REUSED = 80;

/** The first `size` of `from`, in `to` where that is not too large for most. */
function written(to: number[], from: readonly number[], size: number): number[] {
  if (size > MAX_REUSED || to.length > MAX_REUSED) return from.slice(0, size);
  for (let at = 0; at < size; at += 1) to[at] = from[at] as number;
  return to;
}
