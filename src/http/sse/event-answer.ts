import { headerLine } from "#core/header-syntax.js";
import type { Exchange } from "../native/exchange.js";
import { sendRefusal } from "../problem-answer.js";
import { Refusal } from "../refusal.js";
import { SentAnswer } from "../sent-answer.js";
import type { EventPipe, EventRoute } from "./event-client.js";

/** Where events come from, for one client. */
export interface Subscribed {
  /** Whether its client would be one too many. */
  readonly isRefused: boolean;
  /** Whether something of the run that answered it goes on, which may have asked for its signal. */
  readonly usesRun: boolean;
  open(pipe: EventPipe, route: EventRoute, lastId: string): void;
  /** Nobody is to get them. */
  cancel(): void;
}

const FULL = new Refusal("EVENT_STREAMS_FULL", { headers: { "retry-after": "5" } });

// A proxy that buffers or compresses would hold events back; nginx reads the last one. The
// client is told to close the connection behind its end: the engine cannot, and a server
// that stops would wait for it.
const LINES =
  headerLine("content-type", "text/event-stream") +
  headerLine("connection", "close") +
  headerLine("cache-control", "no-store, no-transform") +
  headerLine("x-accel-buffering", "no");

/** What the last step of a route of events answers: the stream, open. */
export class EventAnswer extends SentAnswer {
  readonly #subscribed: Subscribed;
  readonly #route: EventRoute;
  readonly #lastId: string;

  constructor(subscribed: Subscribed, route: EventRoute, lastId: string) {
    super();
    this.#subscribed = subscribed;
    this.#route = route;
    this.#lastId = lastId;
  }

  override cancel(): void {
    this.#subscribed.cancel();
  }

  override send(exchange: Exchange): void {
    const { open } = this.#route;
    const subscribed = this.#subscribed;
    if (open.isFull || subscribed.isRefused) {
      subscribed.cancel();
      sendRefusal(exchange, FULL);
      return;
    }
    exchange.giveWay(LINES);
    const pipe = exchange.stream(exchange.heads.of(200, LINES));
    if (pipe.isOver) subscribed.cancel();
    else if (open.isClosed) {
      // Not refused: of an error a browser does not come back.
      subscribed.cancel();
      pipe.write(`retry: ${this.#route.retryMs}\n\n`);
      pipe.end();
    } else {
      subscribed.open(pipe, this.#route, this.#lastId);
      exchange.detach(subscribed.usesRun);
    }
  }
}
