// A Timeline while it is written. Most of those that are kept are never looked at, so it
// notes what happened in one array, three places for each event, and makes events of that
// for whoever asks. docs/decisions/0006-watching.md has the figures.
//
//   RT1. It holds MAX_EVENTS; what more there is is counted.
//   RT2. What was answered as its events grows while the run goes on, and nothing in it changes.

import type { BusAccess } from "./recorder.js";
import type { NodeOutcome, Timeline, TimelineEvent } from "./timeline.js";

/** What a node did on the Bus; with what value is not noted. */
export interface NotedAccess {
  readonly node: string;
  readonly access: BusAccess;
  readonly key: string;
}

/** A jump loop of a thousand rounds over five nodes just fits. */
const MAX_EVENTS = 10_000;
const MAX_ACCESSES = 500;

/** How many places an event takes: what it is, whose it is, when it was. */
const STRIDE = 3;

const OUTCOMES: readonly NodeOutcome[] = ["next", "fault", "branch", "jump", "emit", "aborted"];

// What stands in the first place of an event. Above OTHER: that a node was left, and how.
const ENTER = 0;
const OTHER = 1;
const EXIT = 2;

const CODES: Readonly<Record<NodeOutcome, number>> = {
  next: EXIT,
  fault: EXIT + 1,
  branch: EXIT + 2,
  jump: EXIT + 3,
  emit: EXIT + 4,
  aborted: EXIT + 5,
};

export class RecordedTimeline implements Timeline {
  readonly axon: string;
  readonly version: string;
  readonly started_at: number;
  dropped = 0;
  /** How often a node was entered. */
  entered = 0;
  /** Of a node that was left, in the second place, where it was entered. */
  readonly #log: unknown[];
  /** Places that are taken. */
  #end = 0;
  #events: TimelineEvent[] | null = null;
  /** Three places for each too: the node, what it did, the key. */
  #accesses: string[] | null = null;

  /** `expected` is how many places it will take, as far as that is known. */
  constructor(axon: string, version: string, started_at: number, expected = 0) {
    this.axon = axon;
    this.version = version;
    this.started_at = started_at;
    this.#log = new Array(expected);
  }

  get events(): readonly TimelineEvent[] {
    this.#events ??= [];
    for (let at = this.#events.length * STRIDE; at < this.#end; at += STRIDE)
      this.#events.push(this.#eventAt(at));
    return this.#events;
  }

  /** How many events there are. */
  get size(): number {
    return this.#end / STRIDE;
  }

  /** How many places it takes. */
  get places(): number {
    return this.#end;
  }

  /** When the last of them was. */
  get last_us(): number {
    return this.#end === 0 ? 0 : this.#at(this.#end - STRIDE);
  }

  /** Answers where it was entered: what `exit` is given. */
  enter(node: string, at_us: number): number {
    this.entered += 1;
    return this.#add(ENTER, node, at_us);
  }

  exit(entered: number, at_us: number, outcome: NodeOutcome): void {
    // Where that found no room, neither does this.
    this.#add(CODES[outcome], entered, at_us);
  }

  /** A node has read, written or deleted a value, where somebody wants to know. More than MAX_ACCESSES are not noted. */
  access(node: string, access: BusAccess, key: string): void {
    this.#accesses ??= [];
    if (this.#accesses.length < MAX_ACCESSES * STRIDE) this.#accesses.push(node, access, key);
  }

  /** How many accesses are noted. */
  get accessed(): number {
    return this.#accesses === null ? 0 : this.#accesses.length / STRIDE;
  }

  /** In their order. */
  get accesses(): readonly NotedAccess[] {
    const all = this.#accesses ?? [];
    return Array.from({ length: all.length / STRIDE }, (_, at) => ({
      node: all[at * STRIDE] as string,
      access: all[at * STRIDE + 1] as BusAccess,
      key: all[at * STRIDE + 2] as string,
    }));
  }

  /** Any other event. */
  add(event: TimelineEvent): void {
    this.#add(OTHER, event, event.at_us);
  }

  /** Tells each node that was left, without making events. */
  eachExit(tell: (node: string, duration_us: number, outcome: NodeOutcome) => void): void {
    for (let at = 0; at < this.#end; at += STRIDE) {
      const code = this.#log[at] as number;
      if (code < EXIT) continue;
      const entered = this.#log[at + 1] as number;
      tell(
        this.#log[entered + 1] as string,
        this.#at(at) - this.#at(entered),
        OUTCOMES[code - EXIT] as NodeOutcome,
      );
    }
  }

  /** As it is now, as plain data. */
  plain(): Timeline {
    const { axon, version, started_at, events, dropped } = this;
    return { axon, version, started_at, events: [...events], dropped };
  }

  toJSON(): Timeline {
    return this.plain();
  }

  #add(code: number, whose: unknown, at_us: number): number {
    const at = this.#end;
    if (at >= MAX_EVENTS * STRIDE) {
      this.dropped += 1;
      return -1;
    }
    const log = this.#log;
    log[at] = code;
    log[at + 1] = whose;
    log[at + 2] = at_us;
    this.#end = at + STRIDE;
    return at;
  }

  #at(place: number): number {
    return this.#log[place + 2] as number;
  }

  #eventAt(place: number): TimelineEvent {
    const code = this.#log[place] as number;
    const whose = this.#log[place + 1];
    const at_us = this.#at(place);
    if (code === OTHER) return whose as TimelineEvent;
    if (code === ENTER) return { kind: "node_enter", node: whose as string, at_us };
    const entered = whose as number;
    return {
      kind: "node_exit",
      node: this.#log[entered + 1] as string,
      at_us,
      outcome: OUTCOMES[code - EXIT] as NodeOutcome,
      duration_us: at_us - this.#at(entered),
    };
  }
}
