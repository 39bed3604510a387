// Who listens to a channel, and how each event gets to all of them.
//
//   FO1. A client gets every event that its filter lets through, once and in order, or is
//        told that some are lost: nobody misses anything silently.
//   FO2. Who has not taken what it was given is given nothing more, and what it misses waits
//        in the history alone. It goes on from there, or begins anew where that has lost some.
//   FO3. Turns are taken in rounds, ROUND_CLIENTS at a time: 10 000 writes at once would hold
//        the event loop for 0.1 s. No event leaves the history for another before each
//        client has had its turn: slow clients lose events, a busy server loses none.

import type { ChannelClient } from "./channel-client.js";
import type { EventHistory, EventLabels } from "./event-history.js";
import { commentText, positionText, type ServerEvent } from "./event-text.js";

/** Written one after another before others of the process have their turn: about 5 ms. */
export const ROUND_CLIENTS = 512;

/** Events that a client lacks are written together up to this length. */
const PIECE_BYTES = 16_384;

/** What brings clients from one event to another. */
interface Joined {
  readonly after: number;
  readonly upTo: number;
  readonly bytes: Uint8Array;
}

const ALIVE = Buffer.from(commentText(""));

export class FanOut {
  readonly history: EventHistory;
  /** An event that one client alone gets. Throws EVENT_INVALID. */
  readonly textOf: (event: ServerEvent) => string;
  readonly clients = new Set<ChannelClient>();
  /** How often a client was passed over because it had not taken what it was given. */
  skipped = 0;
  /** How often a client began anew. */
  lost = 0;
  /** Those whose turn is still to come; undefined where everybody has had it. */
  #round: IterableIterator<ChannelClient> | undefined;
  /** Whether the first of the round have had their turn before the newest event. */
  #isRoundStale = false;
  #isScheduled = false;
  /** The events between two numbers as one piece: mostly all that lack some lack the same. */
  #joined: Joined = { after: 0, upTo: 0, bytes: ALIVE };
  #heartbeat: Joined = { after: -1, upTo: -1, bytes: ALIVE };

  constructor(history: EventHistory, textOf: (event: ServerEvent) => string) {
    this.history = history;
    this.textOf = textOf;
  }

  publish(labels: EventLabels, bytes: Uint8Array): void {
    if (this.#round !== undefined && this.history.displaces(bytes.length))
      this.#takeTurns(Number.POSITIVE_INFINITY);
    this.history.append(labels, bytes);
    if (this.#round !== undefined) {
      this.#isRoundStale = true;
      return;
    }
    this.#round = this.clients.values();
    this.#takeTurns(ROUND_CLIENTS);
  }

  /** Gives a client what it lacks, as far as it takes it. */
  bring(client: ChannelClient): void {
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

  /** Says that the connection lives and, to one that has all there is, where it is. */
  heartbeatFor(client: ChannelClient): Uint8Array {
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

  /** The next events for a client, which counts as having them; undefined where none of them is for it. */
  #next(client: ChannelClient): Uint8Array | undefined {
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

  #joinedFor(client: ChannelClient): Uint8Array | undefined {
    const { history } = this;
    const pieces: Uint8Array[] = [];
    let length = 0;
    while (client.position < history.newest && length < PIECE_BYTES) {
      const kept = history.at(client.position + 1);
      // A filter that publishes may have displaced it.
      if (kept === undefined) break;
      client.position += 1;
      if (!client.takes(kept.labels)) continue;
      pieces.push(kept.bytes);
      length += kept.bytes.length;
    }
    return pieces.length === 0 ? undefined : Buffer.concat(pieces, length);
  }
}
