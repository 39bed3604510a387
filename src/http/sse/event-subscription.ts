import { ChannelClient, type SubscribeOptions } from "./channel-client.js";
import type { EventPipe, EventRoute } from "./event-client.js";
import type { FanOut } from "./fan-out.js";

declare const subscription: unique symbol;

/** What `EventChannel.subscribe` answers: for an Axon that is mounted with `sse`. */
export class EventSubscription {
  declare readonly [subscription]: true;
  readonly #fanOut: FanOut;
  readonly #maxClients: number;
  readonly #options: SubscribeOptions;
  /** What is published from here on is for its client, though that is told later. */
  readonly #after: number;

  /** @internal */
  readonly usesRun = false;

  /** @internal */
  constructor(fanOut: FanOut, maxClients: number, options: SubscribeOptions) {
    this.#fanOut = fanOut;
    this.#maxClients = maxClients;
    this.#options = options;
    this.#after = fanOut.history.newest;
  }

  /** @internal Whether its client would be one too many. */
  get isRefused(): boolean {
    return this.#fanOut.clients.size >= this.#maxClients;
  }

  /** @internal */
  open(pipe: EventPipe, route: EventRoute, lastId: string): void {
    new ChannelClient(pipe, route, this.#fanOut, this.#options, this.#after).begin(lastId);
  }

  /** @internal Nobody is to get it. */
  cancel(): void {}

  /** Of an Axon that is mounted otherwise: nobody would be told why nothing comes. */
  toJSON(): never {
    throw new TypeError("An EventSubscription cannot be answered here: mount the Axon with sse(path, axon)");
  }
}
