import { EventClient, type EventPipe, type EventRoute } from "./event-client.js";
import type { EventLabels } from "./event-history.js";
import { eventText, positionText, type ServerEvent } from "./event-text.js";
import type { FanOut } from "./fan-out.js";

/** The name of the event that a client gets in the place of those that are lost to it. */
const EVENTS_LOST = "events-lost";

/**
 * Why: it was too slow, or it came back with an id that is no longer, or never was, one
 * of the channel's. The data of the event is `{"reason": ...}`.
 */
export type LossReason = "lagged" | "unknown";

/** What one client of a channel gets. */
export interface SubscribeOptions<out T = unknown> {
  /** Whether an event is for this client; asked of each once. Default: all are. */
  readonly filter?: (event: EventLabels) => boolean;
  /**
   * What this client alone is given before anything else, without ids: how things are at
   * the moment. Asked for when it begins, and again where it begins anew because events
   * are lost to it; not where it comes back and lacks nothing.
   */
  readonly first?: () => readonly Omit<ServerEvent<T>, "id">[];
  /** Called once when it has gone, by whomever. */
  readonly onClose?: () => void;
}

/** A client that listens to a channel. */
export class ChannelClient extends EventClient {
  /** The number of the last event that it was given, or that was not for it. */
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

  /** Gives it what it begins with, and what it has missed since the event of this id; "" for a client that is new. */
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

  /** Tells it that events are lost to it, and goes on from now. */
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

  /** The id that it would come back with. */
  #where(): { readonly id?: string } {
    const id = this.#fanOut.history.idOf(this.position);
    return id === undefined ? {} : { id };
  }

  #first(): string {
    try {
      // What is current now is what it begins with: nothing that came meanwhile is sent again.
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
