// A Timeline while it is written: plain numbers. Events are made on demand, as most Timelines are
// never read. docs/decisions/0006-watching.md has the figures.
//
//   An event is two numbers: a code, and microseconds since the start of the run. The lowest three
//   bits of the code are the kind. The bits above are the number of the entered node, the index of
//   the entry event of the node that was left, or the index among the other events.

import { type InnerSpan, InnerSpans, type InnerStart } from "./inner-span.js";
import type { BusAccess, TracedRun } from "./recorder.js";
import type { NodeOutcome, Timeline, TimelineEvent } from "./timeline.js";

/** An access of a node to the Bus, without the value. */
export interface NotedAccess {
  readonly node: string;
  readonly access: BusAccess;
  readonly key: string;
}

/** Room for a jump loop of a thousand rounds over five nodes. Further events are only counted. */
const MAX_EVENTS = 10_000;
const MAX_ACCESSES = 500;

/** Array places of an event, and of an access: a number for the node and its action, and the name of the key. */
const EVENT = 2;
const ACCESS = 2;

// Kinds of events. From EXIT on: a node was left, with its outcome.
const KIND_BITS = 3;
const KIND = (1 << KIND_BITS) - 1;
const ENTER = 0;
const OTHER = 1;
const EXIT = 2;

const OUTCOMES: readonly NodeOutcome[] = ["next", "fault", "branch", "jump", "emit", "aborted"];
const NEXT = 0;
const FAULT = 1;

/** Bus accesses by number. */
export const ACCESSES: readonly BusAccess[] = ["read", "write", "delete"];

/** The Timeline of a run for a caller that does not retain it. Others read `timeline`, which they then own. */
export const notesOf = (run: TracedRun): Timeline =>
  (run as { readonly notes?: RecordedTimeline }).notes ?? run.timeline;

/** Finds the watcher's data of a node, which never changes: called once for each node of a circuit. */
export interface NodeFinder<T> {
  readonly of: (node: string) => T;
}

/** Receives the duration of each node that was left, with the data of a {@link NodeFinder}. */
export interface Durations<T> {
  took(of: T, us: number): void;
  faulted(of: T): void;
}

/** Names that the runs of one circuit note by number. */
export class NotedNames {
  readonly #nodes: string[];
  readonly #numbers: Map<string, number>;
  #finder: NodeFinder<unknown> | undefined;
  #found: unknown[] = [];
  /** Sizes of the last run: the next one most likely needs as much. */
  events = 0;
  accesses = 0;

  /** The first names, in the order of their numbers. */
  constructor(nodes: readonly string[] = []) {
    this.#nodes = [...nodes];
    this.#numbers = new Map(nodes.map((node, number) => [node, number]));
  }

  node(number: number): string {
    return this.#nodes[number] as string;
  }

  numberOf(node: string): number {
    const known = this.#numbers.get(node);
    if (known !== undefined) return known;
    const number = this.#nodes.push(node) - 1;
    this.#numbers.set(node, number);
    return number;
  }

  /** Data of `finder`, by number of node. */
  foundBy<T>(finder: NodeFinder<T>): readonly T[] {
    if (this.#finder !== finder) {
      this.#finder = finder;
      this.#found = [];
    }
    for (let at = this.#found.length; at < this.#nodes.length; at += 1)
      this.#found.push(finder.of(this.#nodes[at] as string));
    return this.#found as T[];
  }
}

export class RecordedTimeline implements Timeline {
  // Not readonly: overwritten when another run reuses it.
  #axon: string;
  #version: string;
  #startedAt: number;
  dropped = 0;
  #names: NotedNames;
  #notes: number[];
  #size = 0;
  /** Events other than entering or leaving a node: most runs have none. */
  #others: TimelineEvent[] | null = null;
  #noted: (number | string)[] | null = null;
  #accessed = 0;
  #events: TimelineEvent[] | null = null;
  /** Work inside its nodes: not in copies. */
  #inner: InnerSpans | null = null;

  /** `names` are those of the runs of the circuit. */
  constructor(axon: string, version: string, started_at: number, names: NotedNames = new NotedNames()) {
    this.#axon = axon;
    this.#version = version;
    this.#startedAt = started_at;
    this.#names = names;
    this.#notes = new Array(names.events * EVENT);
  }

  /** The Timeline of a new run: a returned one is reused if there is one. */
  static begin(axon: string, version: string, started_at: number, names: NotedNames): RecordedTimeline {
    const timeline = free.pop();
    if (timeline === undefined) return new RecordedTimeline(axon, version, started_at, names);
    timeline.#axon = axon;
    timeline.#version = version;
    timeline.#startedAt = started_at;
    timeline.#names = names;
    timeline.#size = 0;
    timeline.#accessed = 0;
    timeline.dropped = 0;
    timeline.#others = null;
    timeline.#events = null;
    timeline.#inner = null;
    return timeline;
  }

  /** Returns it for reuse: neither it nor its results are read any more. */
  giveBack(): void {
    const places = this.#notes.length + (this.#noted?.length ?? 0);
    if (free.length < MAX_FREE && places <= MAX_FREE_PLACES) free.push(this);
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
    for (let at = 0; at < this.#size; at += 1) if (this.#kindAt(at) === ENTER) entered += 1;
    return entered;
  }

  get last_us(): number {
    return this.#size === 0 ? 0 : this.at(this.#size - 1);
  }

  /** Time of an event. */
  at(event: number): number {
    return this.#notes[event * EVENT + 1] as number;
  }

  /** Returns the index of the event, for `exit`; -1 if there is no room. `node` is its number. */
  enter(node: number, at_us: number): number {
    return this.#add((node << KIND_BITS) | ENTER, at_us);
  }

  enterNamed(node: string, at_us: number): number {
    return this.enter(this.#names.numberOf(node), at_us);
  }

  exit(entered: number, at_us: number, outcome: NodeOutcome): void {
    // If the entry found no room, the exit is dropped too.
    this.#add((entered << KIND_BITS) | (EXIT + OUTCOMES.indexOf(outcome)), at_us);
  }

  /** The node of this entry event was left with Next. */
  passed(entered: number, at_us: number): void {
    this.#add((entered << KIND_BITS) | (EXIT + NEXT), at_us);
  }

  /** Notes an access of this node, by its index in ACCESSES. Beyond MAX_ACCESSES none are noted. */
  access(node: number, access: number, key: string): void {
    const at = this.#accessed;
    if (at >= MAX_ACCESSES) return;
    this.#noted ??= new Array(this.#names.accesses * ACCESS);
    this.#noted[at * ACCESS] = node * ACCESSES.length + access;
    this.#noted[at * ACCESS + 1] = key;
    this.#accessed = at + 1;
  }

  get accessed(): number {
    return this.#accessed;
  }

  get accesses(): readonly NotedAccess[] {
    const noted = this.#noted ?? [];
    return Array.from({ length: this.#accessed }, (_, at) => {
      const did = noted[at * ACCESS] as number;
      return {
        node: this.#names.node(Math.floor(did / ACCESSES.length)),
        access: ACCESSES[did % ACCESSES.length] as BusAccess,
        key: noted[at * ACCESS + 1] as string,
      };
    });
  }

  /** Null for none. */
  get inner(): InnerSpans | null {
    return this.#inner;
  }

  /** Work inside a node begins. */
  beginInner(
    node: number | string,
    start: InnerStart,
    clock: { readonly now_us: number },
  ): InnerSpan | undefined {
    this.#inner ??= new InnerSpans();
    return this.#inner.begin(typeof node === "string" ? node : this.#names.node(node), start, clock);
  }

  add(event: TimelineEvent): void {
    this.#others ??= [];
    if (this.#add((this.#others.length << KIND_BITS) | OTHER, event.at_us) >= 0) this.#others.push(event);
  }

  /** True if it has an event of this kind, other than entering or leaving a node. */
  has(kind: TimelineEvent["kind"]): boolean {
    return this.#others?.some((event) => event.kind === kind) ?? false;
  }

  /** What the run waited for its log and locks, in microseconds. Runs without such a wait cost a test. */
  get waited_us(): number {
    if (this.#others === null) return 0;
    return this.#others.reduce((sum, event) => sum + (event.kind === "waited" ? event.waited_us : 0), 0);
  }

  /** The run has ended. Its sizes are used for the next one. */
  end(): void {
    this.#names.events = Math.min(this.#size, MAX_ROOM);
    this.#names.accesses = this.#accessed;
  }

  /** Reports each node that was left, with the data of `finder`. Makes no events. */
  tellDurations<T>(finder: NodeFinder<T>, to: Durations<T>): void {
    const notes = this.#notes;
    const found = this.#names.foundBy(finder);
    const end = this.#size * EVENT;
    for (let at = 0; at < end; at += EVENT) {
      const note = notes[at] as number;
      const kind = note & KIND;
      if (kind < EXIT) continue;
      const entered = (note >>> KIND_BITS) * EVENT;
      const node = (notes[entered] as number) >>> KIND_BITS;
      to.took(found[node] as T, (notes[at + 1] as number) - (notes[entered + 1] as number));
      if (kind === EXIT + FAULT) to.faulted(found[node] as T);
    }
  }

  /** Becomes a copy of the Timeline of an ended run: for watchers that keep thousands. */
  copy(other: RecordedTimeline): void {
    this.#axon = other.#axon;
    this.#version = other.#version;
    this.#startedAt = other.#startedAt;
    this.dropped = other.dropped;
    this.#names = other.#names;
    this.#notes = written(this.#notes, other.#notes, other.#size * EVENT);
    this.#size = other.#size;
    this.#others = other.#others;
    this.#noted = other.#noted && written(this.#noted ?? [], other.#noted, other.#accessed * ACCESS);
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

  #add(note: number, at_us: number): number {
    const at = this.#size;
    if (at >= MAX_EVENTS) {
      this.dropped += 1;
      return -1;
    }
    this.#notes[at * EVENT] = note;
    this.#notes[at * EVENT + 1] = at_us;
    this.#size = at + 1;
    return at;
  }

  #kindAt(event: number): number {
    return (this.#notes[event * EVENT] as number) & KIND;
  }

  #eventAt(at: number): TimelineEvent {
    const note = this.#notes[at * EVENT] as number;
    const [kind, of] = [note & KIND, note >>> KIND_BITS];
    const at_us = this.at(at);
    if (kind === OTHER) return { ...((this.#others ?? [])[of] as TimelineEvent), at_us };
    if (kind === ENTER) return { kind: "node_enter", node: this.#names.node(of), at_us };
    const outcome = OUTCOMES[kind - EXIT] as NodeOutcome;
    const node = this.#names.node((this.#notes[of * EVENT] as number) >>> KIND_BITS);
    return { kind: "node_exit", node, at_us, outcome, duration_us: at_us - this.at(of) };
  }
}

/** Timelines of ended runs: reuse keeps the memory in the cache and makes no garbage. */
const free: RecordedTimeline[] = [];
const MAX_FREE = 256;
const MAX_FREE_PLACES = 1000;

/** Maximum number of events for which a new run gets room in advance. */
const MAX_ROOM = 500;
/** Maximum size of an array that is reused. */
const MAX_REUSED = 160;

/** The first `size` of `from`, copied to `to` if that is not too large for most runs. */
function written<T>(to: T[], from: readonly T[], size: number): T[] {
  if (size > MAX_REUSED || to.length > MAX_REUSED) return from.slice(0, size);
  for (let at = 0; at < size; at += 1) to[at] = from[at] as T;
  return to;
}
