import type { ChannelAbout } from "./event-client.js";
import { EventClient, type EventPipe, type EventRoute } from "./event-client.js";
import type { EventLabels } from "./event-history.js";
import { eventText, positionText, type ServerEvent } from "./event-text.js";
import type { FanOut } from "./fan-out.js";

/** Sent in place of events that are lost to a client. */
const EVENTS_LOST = "events-lost";

/** The client was too slow, or its Last-Event-ID is unknown. Sent as `{"reason": ...}`. */
type LossReason = "lagged" | "unknown";

export interface SubscribeOptions<out T = unknown> {
  /** Whether an event is for this client; called once for each. Default: all are. */
  readonly filter?: (event: EventLabels) => boolean;
  /**
   * What this client alone is sent first, without ids: the current state. Called when it begins,
   * and again after it has lost events; not where it reconnects and lacks nothing.
   */
  readonly first?: () => readonly Omit<ServerEvent<T>, "id">[];
  /** Called once at its end. */
  readonly onClose?: () => void;
}

class ChannelClient extends EventClient {
  /** The number of the last event that it was sent, or that was not for it. */
  position: number;
  readonly #fanOut: FanOut;
  readonly #options: SubscribeOptions;

  constructor(pipe: EventPipe, route: EventRoute, fanOut: FanOut, options: SubscribeOptions, after: number) {
    super(pipe, route);
    this.position = after;
    this.#fanOut = fanOut;
    this.#options = options;
    fanOut.clients.add(this);
  }

  /** Sends `first`, or what it has missed since the event of this id; "" for a new client. */
  begin(lastId: string): void {
    const { history } = this.#fanOut;
    const { retryMs } = this.route;
    const known = lastId === "" ? undefined : history.numberOf(lastId);
    if (lastId !== "" && known === undefined) {
      this.write(positionText({ retryMs }));
      this.beginAnew("unknown");
    } else {
      this.position = known ?? this.position;
      const first = known === undefined ? this.#first() : "";
      this.write(positionText({ retryMs, ...this.#where() }) + first);
    }
    this.#fanOut.bring(this);
  }

  /** Tells it that events are lost to it, and continues from now. */
  beginAnew(reason: LossReason): void {
    this.#fanOut.lost += 1;
    this.position = this.#fanOut.history.newest;
    const told = { event: EVENTS_LOST, ...this.#where() };
    this.write(eventText(told, JSON.stringify({ reason })) + this.#first());
  }

  get isFiltered(): boolean {
    return this.#options.filter !== undefined;
  }

  takes(event: EventLabels): boolean {
    try {
      return this.#options.filter?.(event) ?? true;
    } catch (error) {
      this.#give("The filter of a subscription threw", error);
      return false;
    }
  }

  protected override heartbeat(): Uint8Array {
    return this.#fanOut.heartbeatFor(this);
  }

  protected override writable(): void {
    this.#fanOut.bring(this);
  }

  protected override left(): void {
    this.#fanOut.clients.delete(this);
    try {
      this.#options.onClose?.();
    } catch (error) {
      this.report("The onClose of a subscription threw", error);
    }
  }

  /** The Last-Event-ID of its position. */
  #where(): { readonly id?: string } {
    const id = this.#fanOut.history.idOf(this.position);
    return id === undefined ? {} : { id };
  }

  #first(): string {
    try {
      // `first` shows the current state: events up to now are not sent again.
      const events = this.#options.first?.();
      if (events === undefined) return "";
      this.position = this.#fanOut.history.newest;
      return events.map(this.#fanOut.textOf).join("");
    } catch (error) {
      this.#give("The first events of a subscription could not be made", error);
      return "";
    }
  }

  #give(what: string, error: unknown): void {
    this.report(what, error);
    this.cut();
  }
}

declare const subscription: unique symbol;

/** Returned by `EventChannel.subscribe`: the answer of an Axon that is mounted with `sse`. */
export class EventSubscription {
  declare readonly [subscription]: true;
  readonly #fanOut: FanOut;
  readonly #channel: ChannelAbout;
  readonly #options: SubscribeOptions;
  /** Events published from here on are for its client. */
  readonly #after: number;

  /** @internal */
  readonly usesRun = false;

  /** @internal */
  constructor(fanOut: FanOut, channel: ChannelAbout, options: SubscribeOptions) {
    this.#fanOut = fanOut;
    this.#channel = channel;
    this.#options = options;
    this.#after = fanOut.history.newest;
  }

  /** @internal Whether the channel is full. */
  get isRefused(): boolean {
    return this.#fanOut.clients.size >= this.#channel.maxClients;
  }

  /** @internal */
  open(pipe: EventPipe, route: EventRoute, lastId: string): void {
    route.open.warn(this.#channel);
    const client = new ChannelClient(pipe, route, this.#fanOut, this.#options, this.#after);
    client.begin(lastId);
  }

  /** @internal */
  cancel(): void {}

  /** Throws: answered by an Axon that is mounted otherwise, it would be an empty object. */
  toJSON(): never {
    throw new TypeError("An EventSubscription cannot be answered here: mount the Axon with sse(path, axon)");
  }
}
