import { type EventKind, type EventSink, isEvent } from "#core/bus/event.js";
import { reportAsWarning } from "#core/bus/reporter.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import { OWN_TOPICS } from "#core/ports/room-listeners.js";
import type { StoreSet, StoresUser } from "#core/ports/store-set.js";
import { optionNames, requireFunctions, requireInteger, requireKnown } from "../refusal/option-checks.js";
import { EventSubscription, type SubscribeOptions } from "./channel-client.js";
import type { ChannelAbout } from "./event-client.js";
import { EventHistory, type EventLabels, type HistoryBounds, type PublishedEvent } from "./event-history.js";
import {
  EventWriter,
  type EventWriterOptions,
  invalid,
  requireId,
  type ServerEvent,
  WRITER_OPTIONS,
} from "./event-text.js";
import { FanOut } from "./fan-out.js";
import { StoredChannel } from "./stored-channel.js";

export interface ChannelEvent<out T = unknown> extends Omit<ServerEvent<T>, "retryMs"> {
  /** A label for filters, such as a room or a user. It is not sent to clients. */
  readonly topic?: string;
}

export interface EventChannelOptions<T> extends EventWriterOptions<T> {
  /** Name for messages. */
  readonly name: string;
  /**
   * Bounds of the history for clients that reconnect or fall behind: number of `events` (default
   * 1000) and their total `bytes` (default 1 MiB; at least `maxEventBytes`).
   */
  readonly history?: Partial<HistoryBounds>;
  /** Clients in this process. Further ones get 503 with Retry-After. Default 10 000. */
  readonly maxClients?: number;
  /**
   * Joins the channels of this name in other processes: clients get events published in any of
   * them, and may resume in any. `workerRooms()` joins the workers of one supervisor. Default: the
   * stores of an ingress that declares the channel, if they join channels; else none, with a warning
   * if several workers exist.
   */
  readonly rooms?: RoomBus;
  /** Prefix of the ids that the channel generates. Default: random, so that ids of another process are unknown. */
  readonly epoch?: string;
}

const OPTIONS = optionNames<EventChannelOptions<unknown>>()(
  WRITER_OPTIONS,
  "name history maxClients rooms epoch",
);
const BOUNDS = optionNames<HistoryBounds>()("events bytes");
const SUBSCRIBE_OPTIONS = optionNames<SubscribeOptions>()("filter first onClose");

/** Shared, because clients retain their options. */
const ALL: SubscribeOptions<never> = Object.freeze({});

export interface ChannelStats {
  readonly clients: number;
  /** Number of clients that have not read the last write. */
  readonly waiting: number;
  /** Number of events that the slowest client is behind. */
  readonly lag: number;
  /** Number of published events since the channel was created. */
  readonly published: number;
  /** Number of times that a client was skipped because its last write was unread. */
  readonly skipped: number;
  /** Number of `events-lost` events sent. */
  readonly lost: number;
}

/**
 * Sends events to its subscribers: each is written as text once.
 *
 *     const ticks = new EventChannel({ name: "ticks", schema: Type.Object({ n: Type.Number() }) });
 *     ingress.sse("/ticks", Axon.start("ticks").thenFn("listen", () => ticks.subscribe()));
 *     ticks.publish({ event: "tick", data: { n: 1 } });
 *
 * Clients are those of this process, unless `rooms` joins others, or the stores of an ingress that
 * declares it: `ingress.stores(openStores({ sql, redis })).channels(ticks)`. A client that reconnects or
 * is slow gets the missed events from the history. If the history has evicted some, the client gets an
 * event `events-lost` instead, and continues with the newest event.
 */
export class EventChannel<T = unknown> implements StoresUser {
  readonly name: string;
  readonly #writer: EventWriter;
  readonly #fanOut: FanOut;
  readonly #epoch: string;
  readonly #tellOthers: ReturnType<typeof joined> | undefined;
  readonly #stored: StoredChannel;
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
    this.#tellOthers = rooms && joined(rooms, name, (event) => this.#fanOut.publish(event));
    const stored = new StoredChannel(name, events, this.#fanOut);
    this.#stored = stored;
    this.#about = {
      name,
      maxClients,
      takesStores: rooms === undefined,
      get perProcess() {
        if (rooms !== undefined) return rooms.perProcess;
        return stored.isUsed ? undefined : "its clients, which other processes do not reach";
      },
    };
  }

  /** Called by each server whose ingress declares it. `rooms` given by hand win. */
  readonly useStores = ({ channels }: StoreSet): (() => void) =>
    channels === undefined || this.#tellOthers !== undefined ? () => {} : this.#stored.use(channels);

  /**
   * A sink for `withEventSink`. Publishes the event that `pick` makes of each payload of the kind;
   * nothing for undefined. The default event name is the kind's. An error of `publish` is reported
   * as EVENT_SINK_FAILED.
   */
  sinkOf<P>(kind: EventKind<string, P>, pick: (payload: P) => ChannelEvent<T> | undefined): EventSink {
    return {
      send: (emitted) => {
        const picked = isEvent(emitted, kind) ? pick(emitted.payload) : undefined;
        if (picked !== undefined) this.publish({ event: kind.name, ...picked });
      },
    };
  }

  /**
   * Sends an event to the clients whose filter accepts it, and adds it to the history. Returns its
   * id: the given one, which must be unique, or the channel's next. Where stores keep the events, they
   * make the id later: undefined. Throws EVENT_INVALID, with nothing sent, for fields that clients would
   * misread, invalid data, and an event above the limit.
   */
  publish({ event = "message", data, id, topic = "" }: ChannelEvent<T>): string | undefined {
    if (id === "") throw invalid("its id is empty: leave it out, and the channel makes one");
    if (this.#stored.isUsed) {
      if (id !== undefined) requireId(id);
      this.#stored.publish({ id, event, topic, text: this.#writer.text({ event, data }) });
      return id;
    }
    const own = id ?? `${this.#epoch}-${this.#fanOut.history.newest + 1}`;
    const text = this.#writer.text({ event, data, id: own });
    const labels = Object.freeze({ id: own, event, topic });
    this.#tellOthers?.(labels, text);
    this.#fanOut.publish({ labels, bytes: Buffer.from(text) });
    return own;
  }

  /** The output of an Axon that is mounted with `sse`. The client gets events published from now on. */
  subscribe(options: SubscribeOptions<T> | ((event: EventLabels) => boolean) = ALL): EventSubscription {
    const given: SubscribeOptions = typeof options === "function" ? { filter: options } : options;
    const where = `subscribe() of EventChannel '${this.name}'`;
    requireKnown(where, given, SUBSCRIBE_OPTIONS);
    requireFunctions(where, given, ["filter", "first", "onClose"]);
    return new EventSubscription(this.#fanOut, this.#about, given);
  }

  /** Ends the stream of each client. Clients reconnect after their retry time. */
  disconnect(): void {
    this.#fanOut.sendAllAway();
  }

  /** Counters of the channel. Costs a walk over the clients. */
  get stats(): ChannelStats {
    const { clients, history, published, size, skipped, lost } = this.#fanOut;
    let waiting = 0;
    let lag = 0;
    for (const client of clients) {
      if (client.isWaiting) waiting += 1;
      lag = Math.max(lag, history.newest - client.position);
    }
    return { clients: size, waiting, lag, published, skipped, lost };
  }
}

const newEpoch = (): string => Date.now().toString(36) + Math.random().toString(36).slice(2, 6);

type Receive = (event: PublishedEvent) => void;

/** Joins the channel of other processes. Returns the function that publishes an event to them. */
function joined(
  rooms: RoomBus,
  channel: string,
  receive: Receive,
): (labels: EventLabels, text: string) => void {
  // Rooms of WebSockets may share the bus.
  const own = `${OWN_TOPICS}events:${channel}`;
  rooms.subscribe({
    message: (topic, message) => {
      if (topic === own) takeFrame(message, receive);
    },
    failed: (message, error) => reportAsWarning({ code: "ROOMS_FAILED", message, error }),
  });
  return ({ id, event, topic }, text) =>
    rooms.publish(own, `${JSON.stringify({ id, event, topic })}\n${text}`, false);
}

/** Parses a frame. The first line feed ends the labels, because JSON holds none. */
function takeFrame(message: string | Uint8Array, receive: Receive): void {
  const bytes = typeof message === "string" ? Buffer.from(message) : Buffer.from(message);
  const end = bytes.indexOf("\n");
  const { id, event, topic } = JSON.parse(bytes.subarray(0, end).toString()) as EventLabels;
  receive({ labels: Object.freeze({ id, event, topic }), bytes: bytes.subarray(end + 1) });
}
