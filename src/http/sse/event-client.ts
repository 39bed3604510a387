import { namedKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import { Deadline, type Deadlines, type Timetable } from "../native/deadlines.js";
import type { IngressPlan } from "../plan/ingress-plan.js";

/** A streamed response. Its methods never throw. */
export interface EventPipe {
  /** Returns false if the next piece must wait for `onWritable`. The piece is accepted in any case. */
  write(piece: Uint8Array | string): boolean;
  end(): void;
  /** Closes the connection, so that the client knows that the stream is incomplete. */
  fail(): void;
  readonly isOver: boolean;
  onWritable: (() => void) | null;
  onOver: ((how: "whole" | "gone" | "failed" | "misstated") => void) | null;
}

/** Options of a route of events. */
export interface EventSettings {
  /** Name of the Axon, for reports. */
  readonly axon: string;
  readonly heartbeatMs: number;
  readonly retryMs: number;
  /** Returns a number in [0, 1), which spreads reconnections. */
  readonly random: () => number;
}

/** Settings of a route of events in one ingress. */
export interface EventRoute extends Omit<EventSettings, "heartbeatMs"> {
  readonly open: OpenEvents;
  readonly heartbeats: Deadlines;
}

/** Clients that are disconnected together wait up to this many retry times longer. */
const SPREAD = 2;

/** One open stream of events. It is also the deadline of its next heartbeat, which saves an object. */
export abstract class EventClient extends Deadline {
  /** True if the client has not read the last write. */
  isWaiting = false;
  protected readonly pipe: EventPipe;
  protected readonly route: EventRoute;

  constructor(pipe: EventPipe, route: EventRoute) {
    super();
    this.pipe = pipe;
    this.route = route;
    pipe.onOver = () => this.#leave();
    route.open.add(this);
    route.heartbeats.append(this);
  }

  get isOver(): boolean {
    return this.pipe.isOver;
  }

  /** Returns true if the next piece may be written at once. */
  write(piece: Uint8Array | string): boolean {
    if (!this.pipe.write(piece)) this.#wait();
    return !this.isWaiting;
  }

  override expire(): void {
    if (this.isOver) return;
    if (!this.isWaiting) this.write(this.heartbeat());
    if (!this.isOver) this.route.heartbeats.append(this);
  }

  /** Ends the stream, with a random retry time. */
  sendAway(): void {
    const { retryMs, random } = this.route;
    if (!this.isWaiting) this.write(`retry: ${Math.round(retryMs * (1 + SPREAD * random()))}\n\n`);
    this.pipe.end();
  }

  /** Closes the connection. The client reconnects and gets the missed events. */
  cut(): void {
    this.pipe.fail();
  }

  protected report(message: string, error: unknown): void {
    const { axon, open } = this.route;
    open.reporter({ code: "EVENTS_FAILED", message, error, axon });
  }

  protected abstract heartbeat(): Uint8Array | string;

  protected abstract writable(): void;

  protected abstract left(): void;

  // Created lazily: most clients never wait, and the closure is a tenth of a client's memory.
  #wait(): void {
    this.isWaiting = true;
    this.pipe.onWritable ??= () => {
      this.isWaiting = false;
      this.writable();
    };
  }

  #leave(): void {
    this.route.heartbeats.remove(this);
    this.route.open.delete(this);
    this.left();
  }
}

export interface ChannelAbout {
  readonly name: string;
  readonly maxClients: number;
  /** Description of the state that each worker has separately; undefined if the workers are joined. */
  readonly perProcess: string | undefined;
  /** True if it takes the stores of an ingress that declares it. */
  readonly takesStores: boolean;
}

export class OpenEvents {
  readonly reporter: Reporter;
  readonly #deadlines: Timetable;
  readonly #routes = new Map<EventSettings, EventRoute>();
  readonly #max: number;
  readonly #clients = new Set<EventClient>();
  /** True if new clients are disconnected at once. */
  isClosed = false;
  /** Names of channels with a warning. */
  readonly #warned = new Set<string>();
  readonly #hasWorkers: boolean;
  readonly #joinsChannels: boolean;

  constructor(
    {
      maxEventStreams,
      workers,
      reporter,
      stores,
    }: Pick<IngressPlan, "maxEventStreams" | "workers" | "reporter" | "stores">,
    deadlines: Timetable,
  ) {
    this.#max = maxEventStreams;
    this.#deadlines = deadlines;
    this.reporter = reporter;
    this.#hasWorkers = workers !== 1;
    this.#joinsChannels = stores?.channels !== undefined;
  }

  get count(): number {
    return this.#clients.size;
  }

  get isFull(): boolean {
    return this.#clients.size >= this.#max;
  }

  route(settings: EventSettings): EventRoute {
    let route = this.#routes.get(settings);
    if (route === undefined) {
      const { axon, heartbeatMs, retryMs, random } = settings;
      route = { axon, open: this, heartbeats: this.#deadlines.of(heartbeatMs), retryMs, random };
      this.#routes.set(settings, route);
    }
    return route;
  }

  /** Warns once that a channel is not shared by several workers, or not by the stores that would join it. */
  warn({ name, perProcess, takesStores }: Omit<ChannelAbout, "maxClients">): void {
    const isToDeclare = takesStores && this.#joinsChannels;
    if (perProcess === undefined || this.#warned.has(name) || !(isToDeclare || this.#hasWorkers)) return;
    this.#warned.add(name);
    const remedy = isToDeclare
      ? "Its stores join channels that it declares: ingress.channels(channel)"
      : "Join them: new EventChannel({ rooms: workerRooms() })";
    const where = this.#hasWorkers ? "Several workers serve" : "The ingress has stores of several processes";
    const code = this.#hasWorkers ? "STATE_PER_WORKER" : "STATE_PER_HOST";
    this.reporter({ code, message: `${where}: EventChannel '${name}' keeps ${perProcess}. ${remedy}` });
  }

  add(client: EventClient): void {
    this.#clients.add(client);
  }

  delete(client: EventClient): void {
    this.#clients.delete(client);
  }

  /** Ends all streams when the server stops. */
  close(): void {
    this.isClosed = true;
    for (const client of this.#clients) client.sendAway();
  }
}

export const OpenEventsKey = namedKey<OpenEvents, "framework:open-events">("framework:open-events");
