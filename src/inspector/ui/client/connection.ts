// The connection to the live feed: a ticket, then a WebSocket, and both again after a loss. It
// resumes after the last event received. Events are delivered once per animation frame.

import type { FeedEvent, FeedMessage, FeedRequest } from "../../api/events.js";
import { api } from "./api.js";
import { Problem } from "./problem.js";

export type Subscription = Omit<Extract<FeedRequest, { type: "subscribe" }>, "type" | "after">;

export type Link =
  | { readonly kind: "connecting" }
  | { readonly kind: "open"; readonly role: "operator" | "viewer" }
  /** The server responds, but the feed is at its limit of clients. */
  | { readonly kind: "full"; readonly role: "operator" | "viewer" }
  /** Disconnected since this time. */
  | { readonly kind: "lost"; readonly since: number };

/** The role of the token; undefined before the server has returned it. */
export const roleOf = (link: Link): "operator" | "viewer" | undefined =>
  link.kind === "open" || link.kind === "full" ? link.role : undefined;

export interface Listener {
  /** `lost`: events before these that the server did not send. `lostTotal`: of all clients, since its start. */
  events(events: readonly FeedEvent[], lost: number, lostTotal: number): void;
  link(link: Link): void;
}

const PROTOCOL = "framework.inspector.v1";
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;
/** Pause before the next try at a full feed. */
export const FULL_WAIT_MS = 30_000;
/** More events than this do not wait for the frame. A hidden tab has few. */
const MAX_PENDING = 20_000;

export class Connection {
  readonly #listener: Listener;
  #subscription: Subscription;
  #socket: WebSocket | undefined;
  #instance = "";
  #seq = 0;
  #wait = FIRST_WAIT_MS;
  #timer: number | undefined;
  #lostSince = 0;
  #isOver = false;
  #pending: FeedEvent[] = [];
  #lost = 0;
  #lostTotal = 0;
  #frame = 0;

  constructor(subscription: Subscription, listener: Listener) {
    this.#subscription = subscription;
    this.#listener = listener;
    void this.#open();
  }

  subscribe(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#send({ type: "subscribe", ...subscription });
  }

  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#frame);
    this.#socket?.close();
  }

  async #open(): Promise<void> {
    let given: Awaited<ReturnType<typeof api.ticket>>;
    try {
      given = await api.ticket();
    } catch (error) {
      // A retry without a valid token is useless; signing in makes a new connection.
      if (!(error instanceof Problem && error.status === 401)) this.#again();
      return;
    }
    if (this.#isOver) return;
    const { ticket, role, feed_full: isFull } = given;
    if (isFull) return this.#waitForRoom(role);
    const url = new URL("/api/v1/events", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.hash = "";
    const socket = new WebSocket(url, [PROTOCOL, ticket.startsWith("ticket.") ? ticket : `ticket.${ticket}`]);
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#read(String(data));
    socket.onclose = () => {
      if (this.#socket === socket) this.#again();
    };
  }

  #waitForRoom(role: "operator" | "viewer"): void {
    this.#lostSince = 0;
    this.#wait = FIRST_WAIT_MS;
    this.#listener.link({ kind: "full", role });
    this.#timer = setTimeout(() => this.#open(), FULL_WAIT_MS);
  }

  #again(): void {
    if (this.#isOver) return;
    this.#socket = undefined;
    if (this.#lostSince === 0) this.#lostSince = Date.now();
    this.#listener.link({ kind: "lost", since: this.#lostSince });
    this.#timer = setTimeout(() => this.#open(), this.#wait);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
  }

  #read(text: string): void {
    const message = JSON.parse(text) as FeedMessage;
    if (message.type === "hello") {
      const goesOn = this.#instance === message.instance;
      this.#instance = message.instance;
      if (!goesOn) this.#seq = message.seq;
      this.#wait = FIRST_WAIT_MS;
      this.#lostSince = 0;
      this.#send({ type: "subscribe", ...this.#subscription, ...(goesOn ? { after: this.#seq } : {}) });
      this.#listener.link({ kind: "open", role: message.role });
    } else if (message.type === "events") {
      this.#take(message);
    }
  }

  #take({ events, lost, lost_total }: Extract<FeedMessage, { type: "events" }>): void {
    this.#lost += lost;
    this.#lostTotal = lost_total;
    for (const event of events) {
      if (event.seq > this.#seq) this.#seq = event.seq;
      this.#pending.push(event);
    }
    if (this.#pending.length > MAX_PENDING) {
      clearTimeout(this.#frame);
      this.#hand();
      return;
    }
    // A hidden tab has no animation frames: a timer takes their place.
    if (this.#frame === 0)
      this.#frame = document.hidden ? setTimeout(this.#hand, 250) : requestAnimationFrame(this.#hand);
  }

  readonly #hand = (): void => {
    this.#frame = 0;
    if (this.#isOver) return;
    const [events, lost] = [this.#pending, this.#lost];
    this.#pending = [];
    this.#lost = 0;
    this.#listener.events(events, lost, this.#lostTotal);
  };

  #send(request: FeedRequest): void {
    this.#socket?.send(JSON.stringify(request));
  }
}
