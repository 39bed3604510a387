import { namedKey } from "#core/bus-key.js";
import type { Reporter } from "#core/reporter.js";
import type { Timetable } from "../native/deadlines.js";
import type { EventClient, EventRoute, EventSettings } from "./event-client.js";

export interface OpenEventsRules {
  readonly maxEventStreams: number;
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

  constructor({ maxEventStreams, reporter }: OpenEventsRules, deadlines: Timetable) {
    this.#max = maxEventStreams;
    this.#deadlines = deadlines;
    this.reporter = reporter;
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
