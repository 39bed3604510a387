// The live feed: what happens, to whoever listens.

import { randomBytes } from "node:crypto";

import { type Clock, systemClock } from "#core/clock.js";
import type { FeedEvent, FeedMessage, FeedRequest } from "../api/events.js";
import type { TraceRow } from "../api/traces.js";
import type { InspectorRole } from "../door/bearer-auth.js";
import { FeedClient, type FeedWire } from "./feed-client.js";
import { FeedRing, type KeptEvent } from "./feed-ring.js";
import type { LostEvents } from "./lost-events.js";

/** How often clients are sent what there is. */
export const BATCH_MS = 250;
/** How long a client that is gone finds runs when it comes again. */
export const RESUME_MS = 60_000;

/** At once. */
export const MAX_CLIENTS = 64;
const MAX_VIEWERS = MAX_CLIENTS / 2;

/** Clients that are served from far back in one flush. */
const MAX_RESUMED = 4;

const QUICK_EVENTS = 8192;
const RARE_EVENTS = 256;
/** Figures that were replaced whose numbers are known: minutes, and who resumes has one. */
const REPLACED_METRICS = 1024;

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

export interface FeedStats {
  readonly clients: number;
  /** Events kept, and how many may be. */
  readonly count: number;
  readonly limit: number;
  /** Events that some client was not sent. */
  readonly lost: number;
  /** Clients that were ended because they took nothing. */
  readonly ended: number;
}

export class Feed {
  readonly instance = randomBytes(6).toString("hex");
  /** Of runs: many, and the first to make room. */
  readonly #quick: FeedRing;
  /** Of everything else. */
  readonly #rare = new FeedRing(RARE_EVENTS);
  /** Of figures the newest alone counts. */
  #metrics: KeptEvent | undefined;
  /** The numbers of those before it, the oldest first. */
  readonly #replaced: number[] = [];
  readonly #flushes = { count: 0 };
  readonly #clients = new Set<FeedClient>();
  readonly #clock: Clock;
  readonly #wallClock: () => number;
  #seq = 0;
  /** Of the newest event when the last flush began. */
  #flushedSeq = 0;
  #lost = 0;
  #ended = 0;
  #keepsUntil = 0;
  #cancel: (() => void) | undefined;
  #wantsNodes = false;

  constructor({ clock = systemClock, wallClock = Date.now, quickEvents = QUICK_EVENTS }: FeedOptions = {}) {
    this.#clock = clock;
    this.#wallClock = wallClock;
    this.#quick = new FeedRing(quickEvents);
  }

  /** Whether somebody would see what runs do: who makes events of them asks before. */
  get isHeard(): boolean {
    return this.#clients.size > 0 || (this.#keepsUntil > 0 && this.#clock.now() < this.#keepsUntil);
  }

  /** The same for single nodes, which nobody is told of who does not ask. */
  get hearsNodes(): boolean {
    return this.#wantsNodes && this.#clients.size > 0;
  }

  get hasClients(): boolean {
    return this.#clients.size > 0;
  }

  get stats(): FeedStats {
    return {
      clients: this.#clients.size,
      count: this.#quick.size + this.#rare.size,
      limit: this.#quick.capacity + this.#rare.capacity,
      lost: this.#lost,
      ended: this.#ended,
    };
  }

  /** Never throws, and writes nothing. */
  tell(event: NewFeedEvent): void {
    this.#seq += 1;
    this.#keep({ seq: this.#seq, at: this.#wallClock(), ...event } as FeedEvent);
  }

  /** An event of another process, with its time. */
  pass(event: FeedEvent): void {
    this.#seq += 1;
    this.#keep({ ...event, seq: this.#seq });
  }

  /** Events of another process that no client is sent: lost to those that could have been. */
  lose(lost: LostEvents): void {
    for (const client of this.#clients) this.#lost += client.lose(lost);
  }

  /** A run is over. Its row is made when somebody is to be sent it. */
  tellRun(rowOf: () => TraceRow | undefined): void {
    this.#seq += 1;
    this.#quick.push(new RunExit(this.#seq, this.#wallClock(), rowOf, this.#flushes) as FeedEvent);
  }

  #keep(numbered: FeedEvent): void {
    const { kind } = numbered;
    if (kind === "metrics") this.#replaceMetrics(numbered);
    else if (kind === "node_exit" || kind === "circuit_exit" || kind === "event") this.#quick.push(numbered);
    else this.#rare.push(numbered);
  }

  #replaceMetrics(event: FeedEvent): void {
    if (this.#metrics !== undefined) this.#replaced.push(this.#metrics.seq);
    if (this.#replaced.length > REPLACED_METRICS) this.#replaced.shift();
    this.#metrics = { seq: event.seq, event, text: undefined };
  }

  /** Whether another one may join. */
  hasRoomFor(role: InspectorRole): boolean {
    if (this.#clients.size >= MAX_CLIENTS) return false;
    if (role === "operator") return true;
    let viewers = 0;
    for (const client of this.#clients) if (client.role === "viewer") viewers += 1;
    return viewers < MAX_VIEWERS;
  }

  /** A client has connected. */
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

  /** What a client asks for. */
  request(client: FeedClient, request: FeedRequest): void {
    client.take(request);
    this.#noteNodes();
  }

  /** Sends each client what there is for it. The timer's; tests call it. */
  flush(): void {
    const now = this.#clock.now();
    this.#flushes.count += 1;
    let resumed = 0;
    const upTo = this.#seq;
    for (const client of [...this.#clients]) {
      if (client.isFarBack(this.#flushedSeq, now)) {
        if (resumed === MAX_RESUMED) continue;
        resumed += 1;
        // Behind the others: who has waited comes first the next time.
        this.#clients.delete(client);
        this.#clients.add(client);
      }
      if (client.isStuck(now)) {
        this.#ended += 1;
        client.end();
        this.leave(client);
        continue;
      }
      this.#lost += client.send(this, now);
    }
    this.#flushedSeq = upTo;
  }

  /** Kept events after a number, in their order. */
  after(seq: number): readonly KeptEvent[] {
    const metrics = this.#metrics !== undefined && this.#metrics.seq > seq ? [this.#metrics] : [];
    const events = [...this.#quick.after(seq), ...this.#rare.after(seq), ...metrics];
    return events.sort((a, b) => a.seq - b.seq);
  }

  /** How many figures between two numbers, the second included, have been replaced. */
  replaced(after: number, upTo: number): number {
    let count = 0;
    for (const seq of this.#replaced) if (seq > after && seq <= upTo) count += 1;
    return count;
  }

  get seq(): number {
    return this.#seq;
  }

  /** No client is sent anything any more. */
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

/** An event that nobody pays for who does not look at it. */
class RunExit {
  readonly kind = "circuit_exit";
  readonly seq: number;
  readonly at: number;
  readonly #flushes: { readonly count: number };
  /** Undefined once its answer would be no other. */
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

  /** Undefined where it had to make room. */
  get run(): TraceRow | undefined {
    const { count } = this.#flushes;
    if (this.#rowOf === undefined || this.#lookedUpIn === count) return this.#row;
    this.#lookedUpIn = count;
    const row = this.#rowOf();
    // What is still to be answered is looked at again. What is gone stays as it was seen last.
    if (row?.request?.http_status !== null) this.#rowOf = undefined;
    if (row !== undefined) this.#row = row;
    return this.#row;
  }

  toJSON(): object {
    const { seq, at, kind, run } = this;
    return { seq, at, kind, run };
  }
}
