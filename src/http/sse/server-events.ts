// Events that a program makes for one client: pulled one at a time, the next when the
// client has taken the last, and given up when the client has gone.

import { setImmediate as turn } from "node:timers/promises";

import { tamedController } from "#core/tamed-controller.js";
import { EventClient, type EventPipe, type EventRoute } from "./event-client.js";
import { commentText, positionText, type ServerEvent } from "./event-text.js";
import type { EventWriter } from "./event-writer.js";

/** What a function is given that makes events for one client. */
export interface ServerEventsContext {
  /** Fires when the client has gone, or the server stops. */
  readonly signal: AbortSignal;
  /** The id of the last event that the client has seen; "" where it comes for the first time. */
  readonly lastEventId: string;
}

/** Events for one client, or what makes them. */
export type ServerEvents<T = unknown> =
  | AsyncIterable<ServerEvent<T>>
  | ((context: ServerEventsContext) => AsyncIterable<ServerEvent<T>>);

const ALIVE = commentText("");

/** Pulled one after another before others of the process have their turn: a source may never wait. */
const EVENTS_PER_TURN = 64;

export class SourceSubscription {
  readonly isRefused = false;
  readonly usesRun = true;
  readonly #source: ServerEvents;
  readonly #writer: EventWriter;

  constructor(source: ServerEvents, writer: EventWriter) {
    this.#source = source;
    this.#writer = writer;
  }

  open(pipe: EventPipe, route: EventRoute, lastId: string): void {
    void new SourceClient(pipe, route, this.#writer).pump(this.#source, lastId);
  }

  /** Nobody is to get it: what it holds already is released. */
  cancel(): void {
    if (typeof this.#source === "function") return;
    const events = this.#source[Symbol.asyncIterator]();
    void Promise.resolve(events.return?.()).catch(() => {});
  }
}

class SourceClient extends EventClient {
  readonly #writer: EventWriter;
  readonly #gone = tamedController("A listener of an event source's signal threw");
  #events: AsyncIterator<ServerEvent> | undefined;
  /** Ends the wait for the client to take what it was given. */
  #wake: (() => void) | undefined;

  constructor(pipe: EventPipe, route: EventRoute, writer: EventWriter) {
    super(pipe, route);
    this.#writer = writer;
  }

  /** Never rejects. */
  async pump(source: ServerEvents, lastEventId: string): Promise<void> {
    this.write(positionText({ retryMs: this.route.retryMs }));
    try {
      const { signal } = this.#gone;
      const events = typeof source === "function" ? source({ signal, lastEventId }) : source;
      this.#events = events[Symbol.asyncIterator]();
      await this.#pull(this.#events);
    } catch (error) {
      // What a source throws because it was given up is nobody's concern.
      if (this.isOver) return;
      this.report("A source of events failed: the client comes back", error);
      this.cut();
    }
  }

  async #pull(events: AsyncIterator<ServerEvent>): Promise<void> {
    for (let pulled = 1; ; pulled += 1) {
      if (this.isWaiting) await this.#taken();
      else if (pulled % EVENTS_PER_TURN === 0) await turn();
      if (this.isOver) return;
      const next = await events.next();
      if (this.isOver) return;
      if (next.done === true) {
        this.#events = undefined;
        this.pipe.end();
        return;
      }
      this.write(this.#writer.text(next.value));
    }
  }

  #taken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  protected override heartbeat(): string {
    return ALIVE;
  }

  protected override writable(): void {
    this.#wake?.();
  }

  protected override left(): void {
    this.#wake?.();
    this.#gone.abort();
    void this.#giveUp();
  }

  async #giveUp(): Promise<void> {
    try {
      await this.#events?.return?.();
    } catch (error) {
      this.report("A source of events failed when its client had gone", error);
    }
  }
}
