import type { WebSocketConnection } from "#core/facts/web-socket.js";
import type { FeedEvent, FeedRequest } from "../api/events.js";
import type { InspectorRole } from "../door/bearer-auth.js";
import { isOfRun, type KeptEvent } from "./feed-ring.js";
import { type EventText, eventText, type Figures, MAX_EVENT_BYTES } from "./figures.js";
import type { LostEvents } from "./lost-events.js";
import { Subscription } from "./subscription.js";

/** Events in one batch. */
const MAX_BATCH = 500;
/** Bytes of a batch for events that are not of single runs: more come with the next one. One is always sent. */
const MAX_RARE_BYTES = 131_072;
/** Above it a client gets nothing until it has read. */
const MAX_UNREAD_BYTES = 262_144;
/** How long a client may not read before it is closed. */
const STUCK_MS = 30_000;
/** A client that lags by more events than this is expensive to serve. */
const FAR_BACK = 1000;
/** A new client gets no events for this long, since its first message may be a subscription. */
const FIRST_MS = 500;

export interface FeedWire extends Pick<WebSocketConnection, "send" | "close" | "bufferedAmount" | "isOpen"> {
  /**
   * Called with the events left out of the next message, the number of evicted events, and whether
   * those are of single runs. If present, the receiver counts them, and the feed does not.
   */
  readonly missed?: (left: readonly FeedEvent[], gone: number, isOfRuns: boolean) => void;
}

interface Source {
  readonly seq: number;
  readonly figures: Figures | undefined;
  after(seq: number): readonly KeptEvent[];
  figuresWithin(after: number, upTo: number): number;
  lacksRunsAlone(after: number): boolean;
  miss(count: number): number;
}

/** One client of the feed: its place and its subscription. */
export class FeedClient {
  readonly role: InspectorRole;
  readonly #wire: FeedWire;
  /** Undefined: it gets nothing. */
  #subscription: Subscription | undefined = new Subscription();
  /** The number of the last event that it got or passed. */
  #at: number;
  readonly #joinedAt: number;
  /** The number of the last figures that it got. */
  #figuresAt: number;
  /** Figures that wait until it has read. */
  #figures: readonly EventText[] = [];
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
    this.#joinedAt = seq;
    this.#figuresAt = seq;
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
    const { after = this.#at, node_metrics_of: nodesOf } = request;
    // The newest figures are sent again: without it, a view would wait for those of its circuit.
    if (nodesOf !== undefined || this.#figures.length > 0) this.#figuresAt = this.#joinedAt;
    this.#figures = [];
    this.#figuresAt = Math.min(after, this.#figuresAt);
    this.#at = Math.min(after, this.#at);
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

  send(source: Source, now: number): void {
    if (now < this.#silentUntil) return;
    if (this.#wire.bufferedAmount > MAX_UNREAD_BYTES) {
      this.#stuckSince ??= now;
      return;
    }
    this.#stuckSince = undefined;
    const subscription = this.#subscription;
    if (subscription === undefined) {
      this.#at = source.seq;
      return;
    }
    const texts = this.#batch(source, subscription);
    const { figures } = source;
    if (figures !== undefined && figures.seq > this.#figuresAt && this.#figures.length === 0) {
      this.#figuresAt = figures.seq;
      if (subscription.wantsKind("metrics")) this.#figures = figures.texts(subscription.figures);
    }
    const [first] = this.#figures;
    if (first !== undefined && first.bytes + bytesOf(texts) <= MAX_EVENT_BYTES) {
      texts.push(first);
      this.#figures = this.#figures.slice(1);
    }
    const total = source.miss(0);
    if (texts.length > 0 || this.#lost > 0) this.#tell(texts, total);
    for (const text of this.#figures) {
      if (this.#wire.bufferedAmount > MAX_UNREAD_BYTES) return;
      this.#figures = this.#figures.slice(1);
      this.#tell([text], total);
    }
  }

  #tell(texts: readonly EventText[], total: number): void {
    const events = [...texts].sort((a, b) => a.seq - b.seq).map(({ text }) => text);
    const counts = `"lost":${this.#lost},"lost_total":${total}`;
    this.#lost = 0;
    this.#wire.send(`{"type":"events","events":[${events.join(",")}],${counts}}`);
  }

  /** The next events, without figures. */
  #batch(source: Source, subscription: Subscription): EventText[] {
    const from = this.#at;
    const events = source.after(from);
    const wanted = events.filter(({ event }) => subscription.wants(event));
    const upTo = placeFor(wanted) ?? source.seq;
    this.#at = upTo;
    const passed = events.slice(0, countUpTo(events, upTo));
    // Numbers of all rings together have no gaps: a missing one was evicted.
    const gone = upTo - from - passed.length - source.figuresWithin(from, upTo);
    const isOfRuns = source.lacksRunsAlone(from);
    const isUnwanted = isOfRuns && !subscription.wantsRuns;
    // A run whose trace was evicted has no row.
    const rowless = subscription.wantsKind("circuit_exit") ? passed.filter(isRowless).length : 0;
    const { texts, left } = batched(wanted.slice(0, countUpTo(wanted, upTo)));
    this.#miss(source, left, (isUnwanted ? 0 : gone) + rowless, isOfRuns);
    return texts;
  }

  #miss(source: Source, left: readonly FeedEvent[], gone: number, isOfRuns: boolean): void {
    const missed = left.length + gone;
    if (missed === 0) return;
    this.#lost += missed;
    if (this.#wire.missed === undefined) source.miss(missed);
    else this.#wire.missed(left, gone, isOfRuns);
  }
}

const isRowless = ({ event }: KeptEvent): boolean => event.kind === "circuit_exit" && event.run === undefined;

/** The number up to which a batch reaches if not all rare events fit; else undefined. */
function placeFor(wanted: readonly KeptEvent[]): number | undefined {
  let bytes = 0;
  for (const kept of wanted) {
    if (isOfRun(kept.event.kind)) continue;
    const { bytes: more } = textOf(kept);
    if (more > MAX_EVENT_BYTES) continue;
    if (bytes > 0 && bytes + more > MAX_RARE_BYTES) return kept.seq - 1;
    bytes += more;
  }
  return undefined;
}

/** Events are in order. */
function countUpTo(events: readonly KeptEvent[], seq: number): number {
  const beyond = (events.at(-1)?.seq ?? 0) > seq ? events.findIndex((kept) => kept.seq > seq) : -1;
  return beyond === -1 ? events.length : beyond;
}

function textOf(kept: KeptEvent): EventText {
  kept.text ??= eventText(kept.event);
  return kept.text;
}

/** With the commas between them. */
const bytesOf = (texts: readonly EventText[]): number => texts.reduce((sum, { bytes }) => sum + bytes + 1, 0);

/** Events that are not of single runs first; of the others as many as there is room for, spread evenly. `left` are left out. */
function batched(wanted: readonly KeptEvent[]) {
  const rare = wanted.filter(({ event }) => !isOfRun(event.kind));
  const runs = wanted.filter(({ event }) => isOfRun(event.kind));
  const room = Math.max(0, MAX_BATCH - rare.length);
  const every = Math.max(1, runs.length / room);
  const chosen = Array.from({ length: Math.min(room, runs.length) }, (_, i) => runs[Math.floor(i * every)]);
  const sent = new Set<KeptEvent>();
  let bytes = 0;
  for (const kept of [...rare, ...(chosen as readonly KeptEvent[])]) {
    const more = textOf(kept).bytes + 1;
    if (bytes + more > MAX_EVENT_BYTES) continue;
    bytes += more;
    sent.add(kept);
  }
  const left = sent.size === wanted.length ? [] : wanted.filter((kept) => !sent.has(kept));
  return { texts: [...sent].map(textOf), left: left.map(({ event }) => event) };
}
