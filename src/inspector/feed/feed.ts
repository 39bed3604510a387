// The live feed. A request that causes an event only puts it into a ring; a timer sends each
// client a batch four times a second. A client has a place in the rings and no queue: what has left
// them before it was sent, or exceeds a batch, is lost to it and counted (docs/inspector.md). While
// no client listens, and RESUME_MS after the last has left, nothing is kept of runs.

import { randomBytes } from "node:crypto";

import { type Clock, systemClock } from "#core/clock.js";
import type { FeedEvent, FeedMessage, FeedRequest } from "../api/events.js";
import type { TraceRow } from "../api/traces.js";
import type { InspectorRole } from "../door/bearer-auth.js";
import { FeedClient, type FeedWire } from "./feed-client.js";
import { FeedRing, isOfRun, type KeptEvent } from "./feed-ring.js";
import { Figures } from "./figures.js";
import type { LostEvents } from "./lost-events.js";

export const BATCH_MS = 250;
/** How long events of runs are kept for a client that reconnects. */
export const RESUME_MS = 60_000;
export const MAX_CLIENTS = 64;
/** So that viewers keep no operator out. */
const MAX_VIEWERS = MAX_CLIENTS / 2;
/** Clients that are served from far back in one flush, so that many that reconnect do not block the loop. */
const MAX_RESUMED = 4;

const QUICK_EVENTS = 8192;
const RARE_EVENTS = 256;
/** Numbers of figures that are remembered: for minutes, longer than RESUME_MS. */
const NUMBERED_FIGURES = 1024;

type Untold<E> = E extends unknown ? Omit<E, "seq" | "at"> : never;
/** An event without its number and time. */
export type NewFeedEvent = Untold<FeedEvent>;

export interface FeedOptions {
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
  /** Events of runs that are kept. Default 8192. */
  readonly quickEvents?: number;
}

export class Feed {
  readonly instance = randomBytes(6).toString("hex");
  /** Events of runs. */
  readonly #quick: FeedRing;
  /** All other events, except figures. */
  readonly #rare = new FeedRing(RARE_EVENTS);
  /** The newest figures. */
  #figures: Figures | undefined;
  /** Numbers of figures, the oldest first: no client misses older ones. */
  readonly #figureSeqs: number[] = [];
  readonly #flushes = { count: 0 };
  readonly #clients = new Set<FeedClient>();
  readonly #clock: Clock;
  readonly #wallClock: () => number;
  #seq = 0;
  /** Of the newest event when the last flush began. */
  #flushedSeq = 0;
  #lost = 0;
  #keepsUntil = 0;
  #cancel: (() => void) | undefined;
  #wantsNodes = false;

  constructor({ clock = systemClock, wallClock = Date.now, quickEvents = QUICK_EVENTS }: FeedOptions = {}) {
    this.#clock = clock;
    this.#wallClock = wallClock;
    this.#quick = new FeedRing(quickEvents);
  }

  /** Whether events of runs are kept: the caller asks before it makes one. */
  get isHeard(): boolean {
    return this.#clients.size > 0 || (this.#keepsUntil > 0 && this.#clock.now() < this.#keepsUntil);
  }

  /** The same for events of single nodes, which a client subscribes to. */
  get hearsNodes(): boolean {
    return this.#wantsNodes && this.#clients.size > 0;
  }

  get hasClients(): boolean {
    return this.#clients.size > 0;
  }

  /** Drops the kept events: clients that connect later do not get them. */
  clear(): void {
    this.#quick.clear();
    this.#rare.clear();
  }

  /** Clients; events kept and how many may be; events that clients wanted and were not sent. */
  get stats() {
    return {
      clients: this.#clients.size,
      count: this.#quick.size + this.#rare.size,
      limit: this.#quick.capacity + this.#rare.capacity,
      lost: this.#lost,
    };
  }

  /** Never throws, and writes nothing. */
  tell(event: NewFeedEvent): void {
    this.#seq += 1;
    this.#keep({ seq: this.#seq, at: this.#wallClock(), ...event } as FeedEvent);
  }

  /** Takes an event of another process. */
  pass(event: FeedEvent): void {
    this.#seq += 1;
    this.#keep({ ...event, seq: this.#seq });
  }

  /** Events of another process that did not arrive count as lost for clients that may have wanted them. */
  lose(lost: LostEvents): void {
    for (const client of this.#clients) this.miss(client.lose(lost));
  }

  /** A run has ended. Its row is made when a client is sent it. */
  tellRun(rowOf: () => TraceRow | undefined): void {
    this.#seq += 1;
    this.#quick.push(new RunExit(this.#seq, this.#wallClock(), rowOf, this.#flushes) as FeedEvent);
  }

  #keep(numbered: FeedEvent): void {
    if (numbered.kind === "metrics") {
      this.#figures = new Figures(numbered);
      this.#figureSeqs.push(numbered.seq);
      if (this.#figureSeqs.length > NUMBERED_FIGURES) this.#figureSeqs.shift();
    } else (isOfRun(numbered.kind) ? this.#quick : this.#rare).push(numbered);
  }

  hasRoomFor(role: InspectorRole): boolean {
    if (this.#clients.size >= MAX_CLIENTS) return false;
    if (role === "operator") return true;
    let viewers = 0;
    for (const client of this.#clients) if (client.role === "viewer") viewers += 1;
    return viewers < MAX_VIEWERS;
  }

  join(wire: FeedWire, role: InspectorRole): FeedClient {
    const client = new FeedClient(wire, role, this.#seq, this.#clock.now());
    this.#clients.add(client);
    const hello: FeedMessage = { type: "hello", role, seq: this.#seq, instance: this.instance };
    wire.send(JSON.stringify(hello));
    this.#begin();
    return client;
  }

  leave(client: FeedClient): void {
    if (!this.#clients.delete(client)) return;
    this.#noteNodes();
    if (this.#clients.size > 0) return;
    this.#keepsUntil = this.#clock.now() + RESUME_MS;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  request(client: FeedClient, request: FeedRequest): void {
    client.take(request);
    this.#noteNodes();
  }

  /** Sends each client its events. Called by the timer and by tests. */
  flush(): void {
    const now = this.#clock.now();
    this.#flushes.count += 1;
    let resumed = 0;
    const upTo = this.#seq;
    for (const client of [...this.#clients]) {
      if (client.isFarBack(this.#flushedSeq, now)) {
        if (resumed === MAX_RESUMED) continue;
        resumed += 1;
        // To the end: those that wait come first in the next flush.
        this.#clients.delete(client);
        this.#clients.add(client);
      }
      if (client.isStuck(now)) {
        client.end();
        this.leave(client);
        continue;
      }
      client.send(this, now);
    }
    this.#flushedSeq = upTo;
  }

  /** Kept events after a number, in their order, without figures. */
  after(seq: number): readonly KeptEvent[] {
    return [...this.#quick.after(seq), ...this.#rare.after(seq)].sort((a, b) => a.seq - b.seq);
  }

  get figures(): Figures | undefined {
    return this.#figures;
  }

  /** How many numbers after `after`, up to `upTo`, are of figures. */
  figuresWithin(after: number, upTo: number): number {
    return this.#figureSeqs.filter((seq) => seq > after && seq <= upTo).length;
  }

  /** Whether all evicted events after a number are of single runs. */
  lacksRunsAlone(after: number): boolean {
    return !this.#rare.hasGap(after);
  }

  /** Counts events that a client wanted and is not sent. Returns the number of all. */
  miss(count: number): number {
    this.#lost += count;
    return this.#lost;
  }

  get seq(): number {
    return this.#seq;
  }

  close(): void {
    for (const client of [...this.#clients]) this.leave(client);
    this.#keepsUntil = 0;
  }

  #begin(): void {
    this.#cancel ??= this.#clock.after(BATCH_MS, () => {
      this.#cancel = undefined;
      this.flush();
      if (this.#clients.size > 0) this.#begin();
    });
  }

  #noteNodes(): void {
    this.#wantsNodes = [...this.#clients].some(({ wantsNodes }) => wantsNodes);
  }
}

/** The end of a run. Its row is looked up when it is read, at most once a flush, and no more once the run is answered or evicted. */
class RunExit {
  readonly kind = "circuit_exit";
  readonly seq: number;
  readonly at: number;
  readonly #flushes: { readonly count: number };
  /** Undefined once the row is final. */
  #rowOf: (() => TraceRow | undefined) | undefined;
  #row: TraceRow | undefined;
  #lookedUpIn = -1;

  constructor(
    seq: number,
    at: number,
    rowOf: () => TraceRow | undefined,
    flushes: { readonly count: number },
  ) {
    this.seq = seq;
    this.at = at;
    this.#rowOf = rowOf;
    this.#flushes = flushes;
  }

  /** Undefined if it was evicted before. */
  get run(): TraceRow | undefined {
    const { count } = this.#flushes;
    if (this.#rowOf === undefined || this.#lookedUpIn === count) return this.#row;
    this.#lookedUpIn = count;
    const row = this.#rowOf();
    // A run without a status is looked up again. The row of an evicted run stays as it was.
    if (row?.request?.http_status !== null) this.#rowOf = undefined;
    if (row !== undefined) this.#row = row;
    return this.#row;
  }

  toJSON(): object {
    const { seq, at, kind, run } = this;
    return { seq, at, kind, run };
  }
}
