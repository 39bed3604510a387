import type { RoomBus } from "#core/room-bus.js";
import { namesOf, requireFunctions, requireKnown } from "../known-options.js";
import { requireInteger } from "../required-integer.js";
import type { SubscribeOptions } from "./channel-client.js";
import { ChannelRooms } from "./channel-rooms.js";
import { EventHistory, type EventLabels, type HistoryBounds } from "./event-history.js";
import { type ChannelAbout, EventSubscription } from "./event-subscription.js";
import { invalid, requireId, type ServerEvent } from "./event-text.js";
import { EventWriter, type EventWriterOptions, WRITER_OPTIONS } from "./event-writer.js";
import { FanOut } from "./fan-out.js";

/** An event for a channel. */
export interface ChannelEvent<out T = unknown> extends Omit<ServerEvent<T>, "retryMs"> {
  /** For filters: a room, a user. Clients do not see it. */
  readonly topic?: string;
}

export interface EventChannelOptions<T> extends EventWriterOptions<T> {
  /** For messages. */
  readonly name: string;
  /**
   * What is kept for clients that come back or fall behind: the newest events, at most
   * `events` of them (default 1000) and `bytes` together (default 1 MiB; at least `maxEventBytes`).
   */
  readonly history?: Partial<HistoryBounds>;
  /** Clients at once in this process; the next one is answered 503 with Retry-After. Default 10 000. */
  readonly maxClients?: number;
  /**
   * Joins the channels of this name in other processes: what one publishes, the clients of
   * each get, and it may be resumed at each. `workerRooms()` joins the workers of one
   * supervisor. Default: clients are those of this process, of which several workers are warned.
   */
  readonly rooms?: RoomBus;
  /** What ids begin with that the channel makes. Default: made anew each time, so that none means an event of another process. */
  readonly epoch?: string;
}

const OPTIONS = namesOf<EventChannelOptions<unknown>>({
  ...WRITER_OPTIONS,
  name: true,
  history: true,
  maxClients: true,
  rooms: true,
  epoch: true,
});
const BOUNDS = namesOf<HistoryBounds>({ events: true, bytes: true });
const SUBSCRIBE_OPTIONS = namesOf<SubscribeOptions>({ filter: true, first: true, onClose: true });

/** Clients keep what they asked for. */
const ALL: SubscribeOptions<never> = Object.freeze({});

export interface ChannelStats {
  readonly clients: number;
  /** Of those, how many have not taken what they were given. */
  readonly waiting: number;
  /** How many events the slowest client is behind. */
  readonly lag: number;
  /** Events since the channel was made. */
  readonly published: number;
  /** How often a client was passed over because it had not taken what it was given. */
  readonly skipped: number;
  /** How often a client was told that events are lost to it. */
  readonly lost: number;
}

/**
 * Sends events to all who listen: each is written as text once, however many they are.
 *
 *     const ticks = new EventChannel({ name: "ticks", schema: Type.Object({ n: Type.Number() }) });
 *     ingress.sse("/ticks", Axon.start("ticks").thenFn("listen", () => ticks.subscribe()));
 *     ticks.publish({ event: "tick", data: { n: 1 } });
 *
 * Clients are those of this process, unless `rooms` joins others. One that comes back gets what it missed, from the
 * history, and so does one that is slow; where that has lost some, the client gets an
 * event `events-lost` instead, and goes on from then.
 */
export class EventChannel<T = unknown> {
  readonly name: string;
  readonly #writer: EventWriter;
  readonly #fanOut: FanOut;
  readonly #epoch: string;
  readonly #rooms: ChannelRooms | undefined;
  readonly #about: ChannelAbout;

  /** Throws CONFIG_INVALID, SCHEMA_INVALID, SCHEMA_UNSUPPORTED. */
  constructor(options: EventChannelOptions<T>) {
    requireKnown("EventChannel", options, OPTIONS);
    const { name, history = {}, maxClients = 10_000 } = options;
    const where = `EventChannel '${name}'`;
    this.name = name;
    this.#writer = new EventWriter(where, options);
    const { maxBytes } = this.#writer;
    requireKnown(`history of ${where}`, history, BOUNDS);
    const { events = 1000, bytes = Math.max(1_048_576, maxBytes) } = history;
    requireInteger(`history.events of ${where}`, events, 1, 100_000);
    requireInteger(`history.bytes of ${where}`, bytes, maxBytes, 1_073_741_824);
    requireInteger(`maxClients of ${where}`, maxClients, 1, 1_000_000);
    this.#epoch = requireId(options.epoch ?? newEpoch());
    const kept = new EventHistory({ events, bytes }, `${this.#epoch}-0`);
    this.#fanOut = new FanOut(kept, (event) => this.#writer.text(event));
    const { rooms } = options;
    this.#rooms =
      rooms && new ChannelRooms(rooms, name, (labels, text) => this.#fanOut.publish(labels, text));
    const perProcess =
      rooms === undefined ? "its clients, whom other processes do not reach" : rooms.perProcess;
    this.#about = { name, maxClients, perProcess };
  }

  /**
   * Sends an event to all who listen and whose filter takes it, and keeps it for those that
   * come back. Answers its id: its own, which no other may have, or the channel's next.
   * Throws EVENT_INVALID, with nothing sent, where clients would read it as something else,
   * where its data are against the schema, and where it is too large.
   */
  publish({ event = "message", data, id, topic = "" }: ChannelEvent<T>): string {
    if (id === "") throw invalid("its id is empty: leave it out, and the channel makes one");
    const own = id ?? `${this.#epoch}-${this.#fanOut.history.newest + 1}`;
    const text = this.#writer.text({ event, data, id: own });
    const labels = Object.freeze({ id: own, event, topic });
    this.#rooms?.tell(labels, text);
    this.#fanOut.publish(labels, Buffer.from(text));
    return own;
  }

  /** What an Axon answers that is mounted with `sse`: its client listens from now on. */
  subscribe(options: SubscribeOptions<T> | ((event: EventLabels) => boolean) = ALL): EventSubscription {
    const given: SubscribeOptions = typeof options === "function" ? { filter: options } : options;
    const where = `subscribe() of EventChannel '${this.name}'`;
    requireKnown(where, given, SUBSCRIBE_OPTIONS);
    requireFunctions(where, given, ["filter", "first", "onClose"]);
    return new EventSubscription(this.#fanOut, this.#about, given);
  }

  /** Ends the stream of each client, which comes back after a while. */
  disconnect(): void {
    for (const client of this.#fanOut.clients) client.sendAway();
  }

  /** Walks over the clients. */
  get stats(): ChannelStats {
    const { clients, history, skipped, lost } = this.#fanOut;
    let waiting = 0;
    let lag = 0;
    for (const client of clients) {
      if (client.isWaiting) waiting += 1;
      lag = Math.max(lag, history.newest - client.position);
    }
    return { clients: clients.size, waiting, lag, published: history.newest, skipped, lost };
  }
}

/** Of this process, and of this channel in it. */
const newEpoch = (): string =>
  `${Date.now().toString(36)}${Math.floor(Math.random() * 1_679_616)
    .toString(36)
    .padStart(4, "0")}`;
