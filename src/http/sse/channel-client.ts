import type { ChannelAbout } from "./event-client.js";
import { EventClient, type EventPipe, type EventRoute } from "./event-client.js";
import type { EventLabels } from "./event-history.js";
import { eventText, positionText, type ServerEvent } from "./event-text.js";
import type { FanOut } from "./fan-out.js";

/** Event sent in place of events that a client lost. */
const EVENTS_LOST = "events-lost";

/** `lagged`: the client was too slow. `unknown`: its Last-Event-ID is unknown. Sent as `{"reason": ...}`. */
type LossReason = "lagged" | "unknown";

export interface SubscribeOptions<out T = unknown> {
  /** Returns true for events that this client gets; called once per event. Default: all events. */
  readonly filter?: (event: EventLabels) => boolean;
  /**
   * Makes the first events for this client only, without ids: the current state. Called when the
   * client subscribes, and again after it lost events, but not if it reconnects without a loss.
   */
  readonly first?: () => readonly Omit<ServerEvent<T>, "id">[];
  /** Called once at the end of the subscription. */
  readonly onClose?: () => void;
}

/** Position of a client that waits for the history: behind no event. */
const NOT_BEGUN = -1;

class ChannelClient extends EventClient {
  /** Number of the last event that was sent to this client or filtered out. */
  position: number;
  readonly #fanOut: FanOut;
  readonly #options: SubscribeOptions;

  constructor(pipe: EventPipe, route: EventRoute, fanOut: FanOut, options: SubscribeOptions) {
    super(pipe, route);
    this.position = NOT_BEGUN;
    this.#fanOut = fanOut;
    this.#options = options;
  }

  /** Sends `first`, or the missed events after `lastId`; "" for a new client, which gets those after `after`. */
  enter(lastId: string, after: number | undefined): void {
    if (this.#fanOut.isHeld) this.write(positionText({ retryMs: this.route.retryMs }));
    this.#fanOut.enter(this, () => this.#begin(lastId, after ?? this.#fanOut.history.newest));
  }

  #begin(lastId: string, after: number): void {
    if (this.isOver) return;
    const { history, clients } = this.#fanOut;
    clients.add(this);
    this.position = after;
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

  /** Sends the event of a loss, and continues with the newest event. */
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
    this.#fanOut.leave(this);
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
      // `first` has the current state: earlier events are not sent.
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

/** Returned by `EventChannel.subscribe`: the output of an Axon that is mounted with `sse`. */
export class EventSubscription {
  declare readonly [subscription]: true;
  readonly #fanOut: FanOut;
  readonly #channel: ChannelAbout;
  readonly #options: SubscribeOptions;
  /** Number of the newest event at the subscription: the client gets later events. Undefined: it was not known. */
  readonly #after: number | undefined;

  /** @internal */
  readonly usesRun = false;

  /** @internal */
  constructor(fanOut: FanOut, channel: ChannelAbout, options: SubscribeOptions) {
    this.#fanOut = fanOut;
    this.#channel = channel;
    this.#options = options;
    this.#after = fanOut.isHeld ? undefined : fanOut.history.newest;
  }

  /** @internal True if the channel is full. */
  get isRefused(): boolean {
    return this.#fanOut.size >= this.#channel.maxClients;
  }

  /** @internal */
  open(pipe: EventPipe, route: EventRoute, lastId: string): void {
    route.open.warn(this.#channel);
    new ChannelClient(pipe, route, this.#fanOut, this.#options).enter(lastId, this.#after);
  }

  /** @internal */
  cancel(): void {}

  /** Throws: as the output of any other route it would serialise to an empty object. */
  toJSON(): never {
    throw new TypeError("An EventSubscription cannot be answered here: mount the Axon with sse(path, axon)");
  }
}
