import { Deadline, type Deadlines } from "../native/deadlines.js";
import type { OpenEvents } from "./open-events.js";

/** Where events are written to: an answer in pieces, of which nothing throws. */
export interface EventPipe {
  /** False: it was taken, and is the last before `onWritable`. */
  write(piece: Uint8Array | string): boolean;
  /** Ends the answer. */
  end(): void;
  /** Ends the connection, so that the client sees that there was more. */
  fail(): void;
  readonly isOver: boolean;
  onWritable: (() => void) | null;
  /** The client has gone, or the answer has ended. */
  onOver: ((how: "whole" | "gone" | "failed" | "misstated") => void) | null;
}

/** What a route says of all its clients. */
export interface EventSettings {
  /** The Axon's name, for reports. */
  readonly axon: string;
  readonly heartbeatMs: number;
  /** How long a client is to wait before it comes back, in milliseconds. */
  readonly retryMs: number;
  /** From 0 up to 1: spreads those that come back together. */
  readonly random: () => number;
}

/** The same at one ingress. */
export interface EventRoute extends Omit<EventSettings, "heartbeatMs"> {
  readonly open: OpenEvents;
  readonly heartbeats: Deadlines;
}

/** How much longer than usual the last client waits of those that are sent away at once. */
const SPREAD = 2;

/**
 * One open stream of events. It is its own deadline for the next heartbeat, so that a
 * client costs one object of ours beside the answer itself.
 */
export abstract class EventClient extends Deadline {
  /** Whether what was written last is still to be taken. */
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

  /** Says whether more may follow. What did not fit is the engine's until the client takes it. */
  write(piece: Uint8Array | string): boolean {
    if (!this.pipe.write(piece)) this.#wait();
    return !this.isWaiting;
  }

  override expire(): void {
    if (this.isOver) return;
    if (!this.isWaiting) this.write(this.heartbeat());
    if (!this.isOver) this.route.heartbeats.append(this);
  }

  /** Lets it come back to another process, not all of them in the same moment. */
  sendAway(): void {
    const { retryMs, random } = this.route;
    if (!this.isWaiting) this.write(`retry: ${Math.round(retryMs * (1 + SPREAD * random()))}\n\n`);
    this.pipe.end();
  }

  /** Ends its connection: it comes back, and is told what it missed. */
  cut(): void {
    this.pipe.fail();
  }

  /** Of something that the program gave, and that failed. */
  protected report(message: string, error: unknown): void {
    const { axon, open } = this.route;
    open.reporter({ code: "EVENTS_FAILED", message, error, axon });
  }

  protected abstract heartbeat(): Uint8Array | string;

  /** What was written has been taken. */
  protected abstract writable(): void;

  /** It is over, by whomever. */
  protected abstract left(): void;

  // Most clients never wait: a function for each would be a tenth of what they cost.
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
