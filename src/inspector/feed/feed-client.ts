import type { WebSocketConnection } from "#core/facts/web-socket.js";
import type { FeedEvent, FeedRequest } from "../api/events.js";
import type { InspectorRole } from "../door/bearer-auth.js";
import type { KeptEvent } from "./feed-ring.js";
import type { LostEvents } from "./lost-events.js";
import { Subscription } from "./subscription.js";

/** Events in one message. */
const MAX_BATCH = 500;
/** Characters in one message. */
const MAX_BATCH_CHARS = 262_144;
/** Of them for events that are not of single runs: more come with the next message. One is always sent. */
const MAX_RARE_CHARS = 131_072;
/** Above it a client gets nothing until it has read. */
const MAX_UNREAD_BYTES = 262_144;
/** How long a client may not read before it is closed. */
const STUCK_MS = 30_000;
/** A client that lags by more events than this is expensive to serve. */
const FAR_BACK = 1000;
/** A new client gets no events for this long, since its first message may be a subscription. */
const FIRST_MS = 500;

export interface FeedWire extends Pick<WebSocketConnection, "send" | "close" | "bufferedAmount" | "isOpen"> {
  /** Called with the events left out of the next message, and the number of evicted events. */
  readonly missed?: (left: readonly FeedEvent[], gone: number) => void;
}

interface Source {
  readonly seq: number;
  after(seq: number): readonly KeptEvent[];
  replaced(after: number, upTo: number): number;
}

/** One client of the feed: its place and its subscription. */
export class FeedClient {
  readonly role: InspectorRole;
  readonly #wire: FeedWire;
  /** Undefined: it gets nothing. */
  #subscription: Subscription | undefined = new Subscription();
  /** The number of the last event that it got or passed. */
  #at: number;
  #silentUntil: number;
  #lost = 0;
  /** Since when it does not read. */
  #stuckSince: number | undefined;
  /** Messages of it that were not understood. */
  mistakes = 0;

  constructor(wire: FeedWire, role: InspectorRole, seq: number, now: number) {
    this.role = role;
    this.#wire = wire;
    this.#at = seq;
    this.#silentUntil = now + FIRST_MS;
  }

  get wantsNodes(): boolean {
    return this.#subscription?.wantsKind("node_exit") === true;
  }

  take(request: FeedRequest): void {
    this.#silentUntil = 0;
    if (request.type === "unsubscribe") {
      this.#subscription = undefined;
      return;
    }
    this.#subscription = new Subscription(request);
    if (request.after !== undefined) this.#at = Math.min(request.after, this.#at);
  }

  /** Returns how many of the lost events it may have wanted. */
  lose(lost: LostEvents): number {
    const missed = this.#subscription?.couldWant(lost) ?? 0;
    this.#lost += missed;
    return missed;
  }

  /** True if it is far behind what others were sent, up to `flushed`. */
  isFarBack(flushed: number, now: number): boolean {
    const reads = this.#subscription !== undefined && this.#wire.bufferedAmount <= MAX_UNREAD_BYTES;
    return reads && now >= this.#silentUntil && this.#at < flushed - FAR_BACK;
  }

  isStuck(now: number): boolean {
    return this.#stuckSince !== undefined && now - this.#stuckSince >= STUCK_MS;
  }

  end(): void {
    this.#wire.close(1008, "It takes nothing");
  }

  /** Returns how many events it does not get. */
  send(source: Source, now: number): number {
    if (now < this.#silentUntil) return 0;
    if (this.#wire.bufferedAmount > MAX_UNREAD_BYTES) {
      this.#stuckSince ??= now;
      return 0;
    }
    this.#stuckSince = undefined;
    const from = this.#at;
    const subscription = this.#subscription;
    if (subscription === undefined) {
      this.#at = source.seq;
      return 0;
    }
    const events = source.after(from);
    const wanted = events.filter(({ event }) => subscription.wants(event));
    const upTo = placeFor(wanted) ?? source.seq;
    this.#at = upTo;
    // Numbers of all rings together have no gaps: a missing one was evicted.
    const gone = upTo - from - countUpTo(events, upTo) - source.replaced(from, upTo);
    const { texts, left } = batched(wanted.slice(0, countUpTo(wanted, upTo)));
    const missed = left.length + gone;
    this.#lost += missed;
    if (missed > 0) this.#wire.missed?.(left, gone);
    if (texts.length === 0 && this.#lost === 0) return 0;
    this.#wire.send(`{"type":"events","events":[${texts.join(",")}],"lost":${this.#lost}}`);
    this.#lost = 0;
    return missed;
  }
}

/** The number up to which a message reaches if not all rare events fit; else undefined. */
function placeFor(wanted: readonly KeptEvent[]): number | undefined {
  let chars = 0;
  for (const kept of wanted) {
    if (isOfRun(kept.event)) continue;
    const { length } = textOf(kept);
    if (chars > 0 && chars + length > MAX_RARE_CHARS) return kept.seq - 1;
    chars += length;
  }
  return undefined;
}

/** Events are in order. */
function countUpTo(events: readonly KeptEvent[], seq: number): number {
  const beyond = (events.at(-1)?.seq ?? 0) > seq ? events.findIndex((kept) => kept.seq > seq) : -1;
  return beyond === -1 ? events.length : beyond;
}

function textOf(kept: KeptEvent): string {
  kept.text ??= JSON.stringify(kept.event);
  return kept.text;
}

/** Events that are not of single runs first; of the others as many as there is room for, spread evenly. `left` are left out. */
function batched(wanted: readonly KeptEvent[]) {
  const rare = wanted.filter(({ event }) => !isOfRun(event));
  const runs = wanted.filter(({ event }) => isOfRun(event));
  const room = MAX_BATCH - rare.length;
  const every = runs.length > room ? runs.length / room : 1;
  const chosen =
    runs.length > room ? Array.from({ length: room }, (_, i) => runs[Math.floor(i * every)]) : runs;
  const batch = [...rare, ...(chosen as readonly KeptEvent[])].sort((a, b) => a.seq - b.seq);
  const texts: string[] = [];
  const sent = new Set<KeptEvent>();
  let chars = 0;
  for (const kept of batch) {
    const text = textOf(kept);
    if (chars > 0 && chars + text.length > MAX_BATCH_CHARS && isOfRun(kept.event)) continue;
    chars += text.length;
    texts.push(text);
    sent.add(kept);
  }
  const left = sent.size === wanted.length ? [] : wanted.filter((kept) => !sent.has(kept));
  return { texts, left: left.map(({ event }) => event) };
}

const isOfRun = ({ kind }: FeedEvent): boolean =>
  kind === "node_exit" || kind === "circuit_exit" || kind === "event";
