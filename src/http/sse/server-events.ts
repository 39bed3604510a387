// Events that a program makes for one client. The next event is pulled when the client has read the
// previous one. The source is cancelled when the client disconnects.

import { setImmediate as turn } from "node:timers/promises";

import { tamedController } from "#core/bus/tamed-controller.js";
import { EventClient, type EventPipe, type EventRoute } from "./event-client.js";
import { commentText, type EventWriter, positionText, type ServerEvent } from "./event-text.js";

export interface ServerEventsContext {
  /** Fires when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  /** Last-Event-ID; "" for a new client. */
  readonly lastEventId: string;
}

/** Events for one client, or a function that makes them. */
export type ServerEvents<T = unknown> =
  | AsyncIterable<ServerEvent<T>>
  | ((context: ServerEventsContext) => AsyncIterable<ServerEvent<T>>);

const ALIVE = commentText("");

/** Events before the loop yields to other work, because a source may never wait. */
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
  /** Resumes the pump that waits for the client. */
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
      // Errors of a cancelled source are ignored.
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
