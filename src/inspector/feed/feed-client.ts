import type { WebSocketConnection } from "#core/web-socket.js";
import type { FeedEvent, FeedRequest } from "../api/events.js";
import type { KeptEvent } from "./feed-ring.js";
import { Subscription } from "./subscription.js";

/** Events in one message. */
const MAX_BATCH = 500;
/** Of them those of runs, so that there is room for the rest. */
const MAX_BATCH_BYTES = 262_144;
/** Above it a client is sent nothing until it has read. */
const MAX_UNREAD_BYTES = 262_144;
/** How long a client may take nothing. */
const STUCK_MS = 30_000;
/** A client that begins with a subscription is sent nothing of another before. */
const FIRST_MS = 500;

type Wire = Pick<WebSocketConnection, "send" | "close" | "bufferedAmount" | "isOpen">;

/** Where a client reads from. */
interface Source {
  readonly seq: number;
  after(seq: number): { readonly events: readonly KeptEvent[]; readonly hasLost: boolean };
}

/** One client of the feed: its place, and what it wants. */
export class FeedClient {
  readonly #wire: Wire;
  /** Undefined: it wants nothing. */
  #subscription: Subscription | undefined = new Subscription();
  /** The number of the last event that it was sent, or passed. */
  #at: number;
  #silentUntil: number;
  #lost = 0;
  /** Since when it takes nothing. */
  #stuckSince: number | undefined;
  /** How often what it sent was not understood. */
  mistakes = 0;

  constructor(wire: Wire, seq: number, now: number) {
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

  isStuck(now: number): boolean {
    return this.#stuckSince !== undefined && now - this.#stuckSince >= STUCK_MS;
  }

  end(): void {
    this.#wire.close(1008, "It takes nothing");
  }

  /** Answers how many events it is not sent. */
  send(source: Source, now: number): number {
    if (now < this.#silentUntil) return 0;
    if (this.#wire.bufferedAmount > MAX_UNREAD_BYTES) {
      this.#stuckSince ??= now;
      return 0;
    }
    this.#stuckSince = undefined;
    const { seq } = source;
    const subscription = this.#subscription;
    const { events, hasLost } = source.after(this.#at);
    const gone = hasLost && events[0] !== undefined ? events[0].seq - this.#at - 1 : 0;
    this.#at = seq;
    if (subscription === undefined) return 0;
    const wanted = events.filter(({ event }) => subscription.wants(event));
    const { texts, lost } = batched(wanted);
    const missed = lost + gone;
    this.#lost += missed;
    if (texts.length === 0 && this.#lost === 0) return 0;
    this.#wire.send(`{"type":"events","events":[${texts.join(",")}],"lost":${this.#lost}}`);
    this.#lost = 0;
    return missed;
  }
}

/** What is not of single runs goes first; of those as many as there is room for, spread evenly. */
function batched(wanted: readonly KeptEvent[]): { readonly texts: readonly string[]; readonly lost: number } {
  const rare = wanted.filter(({ event }) => !isOfRun(event)).slice(-MAX_BATCH);
  const runs = wanted.filter(({ event }) => isOfRun(event));
  const room = MAX_BATCH - rare.length;
  const every = runs.length > room ? runs.length / room : 1;
  const chosen =
    runs.length > room ? Array.from({ length: room }, (_, i) => runs[Math.floor(i * every)]) : runs;
  const batch = [...rare, ...(chosen as readonly KeptEvent[])].sort((a, b) => a.seq - b.seq);
  const texts: string[] = [];
  let bytes = 0;
  for (const kept of batch) {
    kept.text ??= JSON.stringify(kept.event);
    if (bytes > 0 && bytes + kept.text.length > MAX_BATCH_BYTES && isOfRun(kept.event)) continue;
    bytes += kept.text.length;
    texts.push(kept.text);
  }
  return { texts, lost: wanted.length - texts.length };
}

const isOfRun = ({ kind }: FeedEvent): boolean =>
  kind === "node_exit" || kind === "circuit_exit" || kind === "event";
