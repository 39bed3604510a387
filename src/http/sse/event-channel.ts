import { type EventKind, type EventSink, isEvent } from "#core/bus/event.js";
import { reportAsWarning } from "#core/bus/reporter.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import { OWN_TOPICS } from "#core/ports/room-topics.js";
import { optionNames, requireFunctions, requireKnown } from "../refusal/known-options.js";
import { requireInteger } from "../refusal/required-integer.js";
import { EventSubscription, type SubscribeOptions } from "./channel-client.js";
import type { ChannelAbout } from "./event-client.js";
import { EventHistory, type EventLabels, type HistoryBounds } from "./event-history.js";
import {
  EventWriter,
  type EventWriterOptions,
  invalid,
  requireId,
  type ServerEvent,
  WRITER_OPTIONS,
} from "./event-text.js";
import { FanOut } from "./fan-out.js";

export interface ChannelEvent<out T = unknown> extends Omit<ServerEvent<T>, "retryMs"> {
  /** For filters: a room, a user. Clients do not see it. */
  readonly topic?: string;
}

export interface EventChannelOptions<T> extends EventWriterOptions<T> {
  /** For messages. */
  readonly name: string;
  /**
   * The newest events are kept for clients that reconnect or fall behind: at most `events`
   * (default 1000) and `bytes` together (default 1 MiB; at least `maxEventBytes`).
   */
  readonly history?: Partial<HistoryBounds>;
  /** Clients in this process; more are answered 503 with Retry-After. Default 10 000. */
  readonly maxClients?: number;
  /**
   * Joins the channels of this name in other processes: their clients get what any publishes,
   * and may resume at any. `workerRooms()` joins the workers of one supervisor. Default: none,
   * with a warning where there are several workers.
   */
  readonly rooms?: RoomBus;
  /** The prefix of ids that the channel makes. Default: random, so that ids of another process are unknown. */
  readonly epoch?: string;
}

const OPTIONS = optionNames<EventChannelOptions<unknown>>()(
  WRITER_OPTIONS,
  "name history maxClients rooms epoch",
);
const BOUNDS = optionNames<HistoryBounds>()("events bytes");
const SUBSCRIBE_OPTIONS = optionNames<SubscribeOptions>()("filter first onClose");

/** Shared: clients keep their options. */
const ALL: SubscribeOptions<never> = Object.freeze({});

export interface ChannelStats {
  readonly clients: number;
  /** How many of them have not taken what they were sent. */
  readonly waiting: number;
  /** How many events the slowest client is behind. */
  readonly lag: number;
  /** Since the channel was made. */
  readonly published: number;
  /** How often a client was passed over, as it had not taken what it was sent. */
  readonly skipped: number;
  /** How often a client was told that it lost events. */
  readonly lost: number;
}

/**
 * Sends events to its subscribers: each is written as text once.
 *
 *     const ticks = new EventChannel({ name: "ticks", schema: Type.Object({ n: Type.Number() }) });
 *     ingress.sse("/ticks", Axon.start("ticks").thenFn("listen", () => ticks.subscribe()));
 *     ticks.publish({ event: "tick", data: { n: 1 } });
 *
 * Clients are those of this process, unless `rooms` joins others. One that reconnects or is slow
 * gets what it missed from the history; where that has dropped some, it gets an event
 * `events-lost` instead, and continues from there.
 */
export class EventChannel<T = unknown> {
  readonly name: string;
  readonly #writer: EventWriter;
  readonly #fanOut: FanOut;
  readonly #epoch: string;
  readonly #tellOthers: ReturnType<typeof joined> | undefined;
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
    this.#tellOthers = rooms && joined(rooms, name, (labels, text) => this.#fanOut.publish(labels, text));
    const perProcess =
      rooms === undefined ? "its clients, whom other processes do not reach" : rooms.perProcess;
    this.#about = { name, maxClients, perProcess };
  }

  /**
   * A sink for `withEventSink`: publishes what `pick` makes of each event of the kind, under the
   * kind's name unless it gives another; for undefined nothing. What `publish` throws is reported
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
   * Sends an event to the clients whose filter takes it, and keeps it in the history. Returns its
   * id: its own, which must be unique, or the channel's next. Throws EVENT_INVALID, with nothing
   * sent, for fields that clients would misread, data against the schema, and too large an event.
   */
  publish({ event = "message", data, id, topic = "" }: ChannelEvent<T>): string {
    if (id === "") throw invalid("its id is empty: leave it out, and the channel makes one");
    const own = id ?? `${this.#epoch}-${this.#fanOut.history.newest + 1}`;
    const text = this.#writer.text({ event, data, id: own });
    const labels = Object.freeze({ id: own, event, topic });
    this.#tellOthers?.(labels, text);
    this.#fanOut.publish(labels, Buffer.from(text));
    return own;
  }

  /** The answer of an Axon that is mounted with `sse`: its client listens from now on. */
  subscribe(options: SubscribeOptions<T> | ((event: EventLabels) => boolean) = ALL): EventSubscription {
    const given: SubscribeOptions = typeof options === "function" ? { filter: options } : options;
    const where = `subscribe() of EventChannel '${this.name}'`;
    requireKnown(where, given, SUBSCRIBE_OPTIONS);
    requireFunctions(where, given, ["filter", "first", "onClose"]);
    return new EventSubscription(this.#fanOut, this.#about, given);
  }

  /** Ends each client's stream; it reconnects after its retry time. */
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

const newEpoch = (): string => Date.now().toString(36) + Math.random().toString(36).slice(2, 6);

type Receive = (labels: EventLabels, bytes: Uint8Array) => void;

/** Joins the channel of other processes. Returns what tells them of an event. */
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

/** JSON holds no line feed: the first one ends the labels. */
function takeFrame(message: string | Uint8Array, receive: Receive): void {
  const bytes = typeof message === "string" ? Buffer.from(message) : Buffer.from(message);
  const end = bytes.indexOf("\n");
  const { id, event, topic } = JSON.parse(bytes.subarray(0, end).toString()) as EventLabels;
  receive(Object.freeze({ id, event, topic }), bytes.subarray(end + 1));
}
