// Distributes the events of a channel. A client gets every event that its filter accepts, once and in
// order, or an event of the loss. Events for a client with an unread write wait in the history only.
// Clients are served in rounds of ROUND_CLIENTS, because 10 000 writes would block the event loop for
// 0.1 s. No event is evicted before every client had its turn: slow clients lose events, a busy
// server does not.

import type { EventHistory, EventLabels, PublishedEvent } from "./event-history.js";
import { commentText, positionText, type ServerEvent } from "./event-text.js";

/** About 5 ms of writes. */
export const ROUND_CLIENTS = 512;

/** Missing events are written together up to this length. */
const PIECE_BYTES = 16_384;

/** The events of a range of numbers, as one piece. */
interface Joined {
  readonly after: number;
  readonly upTo: number;
  readonly bytes: Uint8Array;
}

const ALIVE = Buffer.from(commentText(""));

/** A client of the channel. */
export interface FanOutClient {
  /** Number of the last event that was sent to this client or filtered out. */
  position: number;
  readonly isOver: boolean;
  /** True if the client has not read the last write. */
  readonly isWaiting: boolean;
  readonly isFiltered: boolean;
  takes(event: EventLabels): boolean;
  /** Returns true if the next piece may be written at once. */
  write(piece: Uint8Array | string): boolean;
  /** Sends the event of a loss, and continues with the newest event. */
  beginAnew(reason: "lagged"): void;
  /** Ends the stream. */
  sendAway(): void;
}

export class FanOut {
  readonly history: EventHistory;
  /** Writes events of one client as text. Throws EVENT_INVALID. */
  readonly textOf: (event: ServerEvent) => string;
  readonly clients = new Set<FanOutClient>();
  /** Clients that begin when the history is known; undefined while it is. */
  #held: Map<FanOutClient, () => void> | undefined;
  /** Number of events since the channel was made. */
  published = 0;
  /** Number of times that a client was skipped as not writable. */
  skipped = 0;
  /** Number of times that a client lost events. */
  lost = 0;
  /** Clients left in the current round; undefined between rounds. */
  #round: IterableIterator<FanOutClient> | undefined;
  /** True if clients had their turn before the newest event. */
  #isRoundStale = false;
  #isScheduled = false;
  /** Cached, because most clients lack the same events. */
  #joined: Joined = { after: 0, upTo: 0, bytes: ALIVE };
  #heartbeat: Joined = { after: -1, upTo: -1, bytes: ALIVE };

  constructor(history: EventHistory, textOf: (event: ServerEvent) => string) {
    this.history = history;
    this.textOf = textOf;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Clients that have not begun do not begin until `release`. */
  hold(): void {
    this.#held ??= new Map();
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const [, begin] of held) begin();
  }

  enter(client: FanOutClient, begin: () => void): void {
    if (this.#held === undefined) begin();
    else this.#held.set(client, begin);
  }

  leave(client: FanOutClient): void {
    this.clients.delete(client);
    this.#held?.delete(client);
  }

  get size(): number {
    return this.clients.size + (this.#held?.size ?? 0);
  }

  publish(event: PublishedEvent): void {
    if (this.#round !== undefined && this.history.displaces(event.bytes.length))
      this.#takeTurns(Number.POSITIVE_INFINITY);
    this.history.append(event);
    this.published += 1;
    this.#beginRound();
  }

  /** Clients that have begun lose events, the unread ones among them. */
  beginAnew(idBefore: string, kept: readonly PublishedEvent[]): void {
    this.history.beginAnew(idBefore);
    for (const event of kept) this.history.append(event);
    this.#beginRound();
  }

  sendAllAway(): void {
    for (const client of [...this.clients, ...(this.#held?.keys() ?? [])]) client.sendAway();
  }

  #beginRound(): void {
    if (this.#round !== undefined) {
      this.#isRoundStale = true;
      return;
    }
    this.#round = this.clients.values();
    this.#takeTurns(ROUND_CLIENTS);
  }

  /** Writes the missing events of a client until it is no longer writable. */
  bring(client: FanOutClient): void {
    if (client.isWaiting) {
      this.skipped += 1;
      return;
    }
    while (!client.isOver && !client.isWaiting && client.position < this.history.newest) {
      if (client.position < this.history.oldest - 1) client.beginAnew("lagged");
      else {
        const piece = this.#next(client);
        if (piece !== undefined) client.write(piece);
      }
    }
  }

  /** A comment, with the position if the client has all events. */
  heartbeatFor(client: FanOutClient): Uint8Array {
    const { newest } = this.history;
    if (client.position !== newest) return ALIVE;
    if (this.#heartbeat.upTo !== newest) {
      const id = this.history.idOf(newest);
      this.#heartbeat = {
        after: newest,
        upTo: newest,
        bytes: Buffer.from(`:\n${positionText({ ...(id !== undefined && { id }) })}`),
      };
    }
    return this.#heartbeat.bytes;
  }

  #takeTurns(most: number): void {
    for (let taken = 0; this.#round !== undefined; taken += 1) {
      if (taken >= most) {
        this.#schedule();
        return;
      }
      const turn = this.#round.next();
      if (turn.done !== true) this.bring(turn.value);
      else this.#round = this.#isRoundStale ? this.clients.values() : undefined;
      if (turn.done === true) this.#isRoundStale = false;
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#takeTurns(ROUND_CLIENTS);
    });
  }

  /** Advances the client. Undefined if its filter rejects all next events. */
  #next(client: FanOutClient): Uint8Array | undefined {
    const { history } = this;
    const after = client.position;
    if (client.isFiltered) return this.#joinedFor(client);
    if (after === history.newest - 1) {
      client.position = history.newest;
      return history.at(history.newest)?.bytes;
    }
    if (this.#joined.after !== after || this.#joined.upTo <= after) {
      const bytes = this.#joinedFor(client) ?? ALIVE;
      this.#joined = { after, upTo: client.position, bytes };
    }
    client.position = this.#joined.upTo;
    return this.#joined.bytes;
  }

  #joinedFor(client: FanOutClient): Uint8Array | undefined {
    const { history } = this;
    const pieces: Uint8Array[] = [];
    let length = 0;
    while (client.position < history.newest && length < PIECE_BYTES) {
      const kept = history.at(client.position + 1);
      // A filter that publishes may have evicted the event.
      if (kept === undefined) break;
      client.position += 1;
      if (!client.takes(kept.labels)) continue;
      pieces.push(kept.bytes);
      length += kept.bytes.length;
    }
    return pieces.length === 0 ? undefined : Buffer.concat(pieces, length);
  }
}
