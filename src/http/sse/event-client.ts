import { namedKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import { Deadline, type Deadlines, type Timetable } from "../native/deadlines.js";
import type { IngressPlan } from "../plan/ingress-plan.js";

/** A response in pieces; nothing here throws. */
export interface EventPipe {
  /** False: the piece was taken, but the next has to wait for `onWritable`. */
  write(piece: Uint8Array | string): boolean;
  end(): void;
  /** Ends the connection, so that the client knows that there was more. */
  fail(): void;
  readonly isOver: boolean;
  onWritable: (() => void) | null;
  onOver: ((how: "whole" | "gone" | "failed" | "misstated") => void) | null;
}

/** Options of a route of events. */
export interface EventSettings {
  /** For reports. */
  readonly axon: string;
  readonly heartbeatMs: number;
  readonly retryMs: number;
  /** In [0, 1): spreads reconnections. */
  readonly random: () => number;
}

/** The same at one ingress. */
export interface EventRoute extends Omit<EventSettings, "heartbeatMs"> {
  readonly open: OpenEvents;
  readonly heartbeats: Deadlines;
}

/** A client that is sent away with others waits up to so many retry times longer. */
const SPREAD = 2;

/** One open stream of events; also its own deadline for the next heartbeat, which saves an object. */
export abstract class EventClient extends Deadline {
  /** Whether the last write is still to be taken. */
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

  /** Returns whether more may follow. */
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

  /** Ends the connection: the client reconnects, and gets what it missed. */
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

  // Lazily: most clients never wait, and a closure for each is a tenth of their memory.
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
  /** What several workers each have apart; undefined where they are joined. */
  readonly perProcess: string | undefined;
}

export class OpenEvents {
  readonly reporter: Reporter;
  readonly #deadlines: Timetable;
  readonly #routes = new Map<EventSettings, EventRoute>();
  readonly #max: number;
  readonly #clients = new Set<EventClient>();
  /** Whether new clients are sent away at once. */
  isClosed = false;
  /** Names of channels; undefined with one process. */
  readonly #warned: Set<string> | undefined;

  constructor(
    { maxEventStreams, workers, reporter }: Pick<IngressPlan, "maxEventStreams" | "workers" | "reporter">,
    deadlines: Timetable,
  ) {
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

  route(settings: EventSettings): EventRoute {
    let route = this.#routes.get(settings);
    if (route === undefined) {
      const { axon, heartbeatMs, retryMs, random } = settings;
      route = { axon, open: this, heartbeats: this.#deadlines.of(heartbeatMs), retryMs, random };
      this.#routes.set(settings, route);
    }
    return route;
  }

  /** Warns once that a channel is not shared by several workers. */
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

  /** The server stops: ends all. */
  close(): void {
    this.isClosed = true;
    for (const client of this.#clients) client.sendAway();
  }
}

export const OpenEventsKey = namedKey<OpenEvents, "framework:open-events">("framework:open-events");
