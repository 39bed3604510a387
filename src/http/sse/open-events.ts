import { namedKey } from "#core/bus-key.js";
import type { Reporter } from "#core/reporter.js";
import type { Timetable } from "../native/deadlines.js";
import type { EventClient, EventRoute, EventSettings } from "./event-client.js";
import type { ChannelAbout } from "./event-subscription.js";

export interface OpenEventsRules {
  readonly maxEventStreams: number;
  readonly workers: number | "auto";
  readonly reporter: Reporter;
}

/** The streams of events that are open at one ingress. */
export class OpenEvents {
  readonly reporter: Reporter;
  readonly #deadlines: Timetable;
  /** As many as there are routes of events. */
  readonly #routes = new Map<EventSettings, EventRoute>();
  readonly #max: number;
  readonly #clients = new Set<EventClient>();
  #isClosed = false;
  /** The channels that were warned of; undefined where there is one process alone. */
  readonly #warned: Set<string> | undefined;

  constructor({ maxEventStreams, workers, reporter }: OpenEventsRules, deadlines: Timetable) {
    this.#max = maxEventStreams;
    this.#deadlines = deadlines;
    this.reporter = reporter;
    this.#warned = workers === 1 ? undefined : new Set();
  }

  get count(): number {
    return this.#clients.size;
  }

  get isFull(): boolean {
    return this.#clients.size >= this.#max;
  }

  /** What the clients of one declaration have in common here. Made once. */
  route(settings: EventSettings): EventRoute {
    let route = this.#routes.get(settings);
    if (route === undefined) {
      const { axon, heartbeatMs, retryMs, random } = settings;
      route = { axon, open: this, heartbeats: this.#deadlines.of(heartbeatMs), retryMs, random };
      this.#routes.set(settings, route);
    }
    return route;
  }

  /** Whoever comes now is sent away at once. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Says, once, that a channel has what several workers each have apart. */
  warn({ name, perProcess }: Pick<ChannelAbout, "name" | "perProcess">): void {
    if (perProcess === undefined || this.#warned === undefined || this.#warned.has(name)) return;
    this.#warned.add(name);
    const message = `Several workers serve: EventChannel '${name}' keeps ${perProcess}. Join them: new EventChannel({ rooms: workerRooms() })`;
    this.reporter({ code: "STATE_PER_WORKER", message });
  }

  add(client: EventClient): void {
    this.#clients.add(client);
  }

  delete(client: EventClient): void {
    this.#clients.delete(client);
  }

  /** Ends all of them: the server stops. */
  close(): void {
    this.#isClosed = true;
    for (const client of this.#clients) client.sendAway();
  }
}

export const OpenEventsKey = namedKey<OpenEvents, "framework:open-events">("framework:open-events");
