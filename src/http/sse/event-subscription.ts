import { ChannelClient, type SubscribeOptions } from "./channel-client.js";
import type { EventPipe, EventRoute } from "./event-client.js";
import type { FanOut } from "./fan-out.js";

/** What a subscription says of its channel. */
export interface ChannelAbout {
  readonly name: string;
  readonly maxClients: number;
  /** What several workers each have apart; undefined where they are joined. */
  readonly perProcess: string | undefined;
}

declare const subscription: unique symbol;

/** What `EventChannel.subscribe` answers: for an Axon that is mounted with `sse`. */
export class EventSubscription {
  declare readonly [subscription]: true;
  readonly #fanOut: FanOut;
  readonly #channel: ChannelAbout;
  readonly #options: SubscribeOptions;
  /** What is published from here on is for its client, though that is told later. */
  readonly #after: number;

  /** @internal */
  readonly usesRun = false;

  /** @internal */
  constructor(fanOut: FanOut, channel: ChannelAbout, options: SubscribeOptions) {
    this.#fanOut = fanOut;
    this.#channel = channel;
    this.#options = options;
    this.#after = fanOut.history.newest;
  }

  /** @internal Whether its client would be one too many. */
  get isRefused(): boolean {
    return this.#fanOut.clients.size >= this.#channel.maxClients;
  }

  /** @internal */
  open(pipe: EventPipe, route: EventRoute, lastId: string): void {
    route.open.warn(this.#channel);
    const client = new ChannelClient(pipe, route, this.#fanOut, this.#options, this.#after);
    client.begin(lastId);
  }

  /** @internal Nobody is to get it. */
  cancel(): void {}

  /** Of an Axon that is mounted otherwise: nobody would be told why nothing comes. */
  toJSON(): never {
    throw new TypeError("An EventSubscription cannot be answered here: mount the Axon with sse(path, axon)");
  }
}
