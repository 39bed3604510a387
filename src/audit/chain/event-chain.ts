// Verifies the events of a log against one another and against its checkpoints, in order.

import { NO_HASH } from "#core/ports/audit-event.js";
import type { AuditRow } from "#core/ports/audit-sink.js";
import { hashOf } from "../event/unlinked-event.js";
import type { AuditCheckpoint } from "./checkpoint.js";
import { leafOf, MerkleRoot } from "./merkle.js";
import type { AuditFailureKind, Failures } from "./verification.js";

export interface ChainStart {
  /** Position of the first event. */
  readonly from: number;
  /** Hash of the previous event; undefined if unknown. */
  readonly previous: string | undefined;
  /** Events up to this position may be missing at the start. */
  readonly archived: number;
}

/** Takes rows in order of position, and each checkpoint after the events that it covers. */
export class EventChain {
  events = 0;
  /** Position of the newest event. */
  last: number;
  /** Number of timestamps that are before the previous one. */
  setBack = 0;
  readonly #failures: Failures;
  readonly #archived: number;
  /** Hash of the newest event; undefined if unknown. */
  #hash: string | undefined;
  #prevHash: string | undefined;
  #timestamp = "";
  #tree = new MerkleRoot();
  #first: number;
  /** Whether the tree contains every event of its segment. */
  #isComplete = true;
  #hasFailed = false;

  constructor({ from, previous, archived }: ChainStart, failures: Failures) {
    this.#failures = failures;
    this.#archived = archived;
    this.#first = from;
    this.last = from - 1;
    this.#hash = previous ?? (from === 1 ? NO_HASH : undefined);
  }

  row(row: AuditRow): void {
    const { position } = row;
    if (!Number.isSafeInteger(position) || position <= this.last) {
      if ("event" in row)
        this.#fail("inserted", position, `a row at position ${position} is none of the chain`);
      else this.#fail("unreadable", position, row.unreadable);
      return;
    }
    if (position > this.last + 1) this.missing(position - 1, "removed");
    this.events += 1;
    this.last = position;
    if (!("event" in row)) {
      this.#forget();
      this.#fail("unreadable", position, `event ${position} was changed: ${row.unreadable}`);
      return;
    }
    const { id, timestamp, prev_hash: prevHash, hash } = row.event;
    if (hashOf(row.event) !== hash)
      this.#fail(
        "edited",
        position,
        `event ${position} (${shownId(id)}) was changed: it has not the hash that it says`,
      );
    if (this.#hash !== undefined && prevHash !== this.#hash) this.#unlinked(position, prevHash);
    if (timestamp < this.#timestamp) this.setBack += 1;
    this.#timestamp = timestamp;
    this.#hash = hash;
    this.#prevHash = prevHash;
    this.#tree.add(leafOf(hash));
  }

  /** Call it when the newest event is the last one that this checkpoint covers. */
  checkpoint({ number, first, last, head, root }: AuditCheckpoint): void {
    const isComplete = this.#isComplete && this.#first === first;
    const isOther = isComplete && this.#tree.root() !== root;
    if (!this.#hasFailed && last >= first && (isOther || (this.#hash ?? head) !== head)) {
      const range =
        first === last ? `event ${first} is not the one` : `events ${first} to ${last} are not the ones`;
      this.#fail(
        "recomputed",
        first,
        `${range} that checkpoint ${number} signs: their hashes were computed anew`,
      );
    }
    this.#hash ??= head;
    this.#tree = new MerkleRoot();
    this.#first = last + 1;
    this.#isComplete = true;
    this.#hasFailed = false;
  }

  /** Rows up to this position are missing. */
  missing(last: number, kind: "removed" | "cut", covering?: number): void {
    const first = this.last + 1;
    // Retention deletes only the start of a log.
    if (this.events > 0 || last > this.#archived) {
      const range = first === last ? `event ${first} is` : `events ${first} to ${last} are`;
      const why = covering === undefined ? "" : `: checkpoint ${covering} covers them`;
      this.#fail(kind, first, `${range} missing${why}`);
    }
    this.last = last;
    this.#forget();
  }

  #unlinked(position: number, prevHash: string): void {
    const before = position - 1;
    if (prevHash === this.#prevHash)
      this.#fail("fork", position, `events ${before} and ${position} follow the same event`);
    else
      this.#fail(
        "broken-link",
        position,
        `event ${position} does not follow event ${before}: one of the two was changed, swapped or put there`,
      );
  }

  #forget(): void {
    this.#hash = undefined;
    this.#prevHash = undefined;
    this.#isComplete = false;
  }

  #fail(kind: AuditFailureKind, position: number, message: string): void {
    this.#hasFailed = true;
    this.#failures.add(kind, message, { position });
  }
}

const shownId = (id: string): string => JSON.stringify(id.slice(0, 60));
