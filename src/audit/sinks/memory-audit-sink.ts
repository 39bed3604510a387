import { type AuditEntry, NO_HASH, type PlacedAuditEvent } from "#core/ports/audit-event.js";
import type { AuditCheckpoints, AuditQuery, AuditRow, AuditSink } from "#core/ports/audit-sink.js";
import { MemoryCheckpoints } from "../chain/memory-checkpoints.js";
import { checkedQuery, matching } from "../event/query-match.js";
import { asked, linked, sameEvent, unlinkedEvent } from "../event/unlinked-event.js";

/** An audit log in this process: for tests, and for logs that may end with it. Grows until `remove`. */
export class MemoryAuditSink implements AuditSink {
  readonly perProcess = "its audit log in memory, which other processes do not see";
  readonly shown = "memory:";
  readonly checkpoints: AuditCheckpoints = new MemoryCheckpoints();
  readonly #now: (() => number) | undefined;
  readonly #byId = new Map<string, PlacedAuditEvent>();
  #events: PlacedAuditEvent[] = [];

  /** `now`, in microseconds since 1970, is for tests. */
  constructor({ now }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  readonly append = async (entry: AuditEntry): Promise<PlacedAuditEvent> => {
    const unlinked = unlinkedEvent(entry, this.#now);
    const kept = this.#byId.get(unlinked.event.id);
    if (kept !== undefined) return sameEvent(kept, unlinked);
    const head = this.#events.at(-1);
    const placed = {
      position: (head?.position ?? 0) + 1,
      event: linked(unlinked, head?.event.hash ?? NO_HASH),
    };
    this.#events.push(placed);
    this.#byId.set(placed.event.id, placed);
    return placed;
  };

  async *rows(from = 1): AsyncGenerator<AuditRow> {
    const first = this.#events[0]?.position ?? 1;
    for (let at = Math.max(0, from - first); at < this.#events.length; at += 1)
      yield this.#events[at] as PlacedAuditEvent;
  }

  readonly head = async (): Promise<AuditRow | undefined> => this.#events.at(-1);

  readonly find = async (id: string): Promise<AuditRow | undefined> => this.#byId.get(asked("id", id));

  readonly query = (query: AuditQuery = {}): Promise<readonly AuditRow[]> =>
    matching(this.rows(), checkedQuery(query));

  readonly remove = async (through: number, limit: number): Promise<number> => {
    const beyond = this.#events.findIndex(({ position }) => position > through);
    const count = Math.min(limit, beyond < 0 ? this.#events.length - 1 : beyond);
    if (count <= 0) return 0;
    for (const { event } of this.#events.slice(0, count)) this.#byId.delete(event.id);
    this.#events = this.#events.slice(count);
    return count;
  };

  readonly close = async (): Promise<void> => {};
}
