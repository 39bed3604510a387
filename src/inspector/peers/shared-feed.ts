// The live feed of a service. The clients are connected to the first worker; the other workers send
// it the events of their own feeds.

import { Type } from "@sinclair/typebox";

import type { Clock } from "#core/clock.js";
import type { FeedEvent, FeedMessage, FeedRequest } from "../api/events.js";
import { Count, orNull } from "../api/shapes.js";
import type { Feed } from "../feed/feed.js";
import type { FeedClient, FeedWire } from "../feed/feed-client.js";
import { type LostEvents, lostEvents } from "../feed/lost-events.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

const LOOK_MS = 250;
const ASK_MS = 1000;
const LEASE_MS = 4000;

type Kind = FeedEvent["kind"];
const KINDS: readonly Kind[] = [
  "circuit_exit",
  "node_paused",
  "node_resumed",
  "event",
  "stall_detected",
  "stall_ended",
];

interface Wanted {
  readonly nodes: boolean;
}

/** A message that a worker's feed would send to a client. */
interface Batch {
  readonly text: string;
  /** Events that are not in the batch. */
  readonly lost: LostEvents;
}

const WANTED = subject<Wanted>("feed wanted", Type.Object({ nodes: Type.Boolean() }));
// Not validated: the text was made to be sent to clients, many times a second.
const EVENTS = subject<Batch>(
  "feed events",
  Type.Object({
    text: Type.String(),
    lost: Type.Object({
      groups: Type.Array(
        Type.Object({
          kind: Type.Unsafe<Kind>(Type.String()),
          circuit: orNull(Type.String()),
          node: orNull(Type.String()),
          count: Count,
        }),
      ),
      unknown: Count,
      isOfRuns: Type.Optional(Type.Boolean()),
    }),
  }),
);

const NOTHING: LostEvents = { groups: [], unknown: 0 };

export interface SharedFeedOptions {
  readonly feed: Feed;
  readonly peers: Peers;
  readonly clock: Clock;
}

/** Runs in the first worker: requests events from the other workers while it has clients. */
export class FeedHub {
  readonly #options: SharedFeedOptions;
  #askedAt = Number.NEGATIVE_INFINITY;
  #nodes = false;
  #cancel: () => void = () => {};

  constructor(options: SharedFeedOptions) {
    this.#options = options;
    options.peers.hears(EVENTS, (batch) => this.#take(batch));
  }

  start(): void {
    this.#cancel = this.#options.clock.after(LOOK_MS, () => {
      this.#ask();
      this.start();
    });
  }

  close(): void {
    this.#cancel();
  }

  #ask(): void {
    const { feed, peers, clock } = this.#options;
    // Also without a connected client: a client that reconnects gets the events it missed.
    if (!feed.isHeard) return;
    const now = clock.now();
    const nodes = feed.hearsNodes;
    if (nodes === this.#nodes && now - this.#askedAt < ASK_MS) return;
    this.#nodes = nodes;
    this.#askedAt = now;
    const wanted: Wanted = { nodes };
    peers.tell(WANTED.about, wanted);
  }

  #take({ text, lost }: Batch): void {
    const { feed } = this.#options;
    const message = JSON.parse(text) as FeedMessage;
    if (message.type !== "events" || !feed.isHeard) return;
    for (const event of message.events) feed.pass(event);
    feed.lose(lost);
  }
}

/** Runs in each other worker: sends its events while the first worker requests them. */
export class FeedSpoke {
  readonly #options: SharedFeedOptions;
  #client: FeedClient | undefined;
  #nodes = false;
  #until = 0;

  constructor(options: SharedFeedOptions) {
    this.#options = options;
    options.peers.hears(WANTED, (wanted) => this.#tellFor(wanted.nodes));
  }

  #tellFor(nodes: boolean): void {
    const { feed, peers, clock } = this.#options;
    this.#until = clock.now() + LEASE_MS;
    if (this.#client !== undefined && nodes === this.#nodes) return;
    this.#nodes = nodes;
    const kinds: Kind[] = nodes ? [...KINDS, "node_exit"] : [...KINDS];
    if (this.#client === undefined) {
      this.#client = feed.join(told(peers), "operator");
      this.#look();
    }
    const request: FeedRequest = { type: "subscribe", kinds };
    feed.request(this.#client, request);
  }

  /** Leaves the feed once the first worker has requested nothing for LEASE_MS. */
  #look(): void {
    const { feed, clock } = this.#options;
    clock.after(LEASE_MS, () => {
      if (clock.now() < this.#until) this.#look();
      else if (this.#client !== undefined) {
        feed.leave(this.#client);
        this.#client = undefined;
      }
    });
  }
}

/** The feed's client whose messages go to the first worker. */
function told(peers: Peers): FeedWire {
  let lost = NOTHING;
  return {
    missed: (...missed) => {
      lost = lostEvents(...missed);
    },
    send: (text) => {
      const batch: Batch = { text: text as string, lost };
      lost = NOTHING;
      peers.tell(EVENTS.about, batch);
      return "sent";
    },
    close: () => {},
    bufferedAmount: 0,
    isOpen: true,
  };
}
