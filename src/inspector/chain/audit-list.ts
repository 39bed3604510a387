// Pages of the audit log, the newest event first. `actor`, `action` and `target` use the indexes of a
// store. `run` and `text` have none: they read a bounded number of events for each page.

import type { Static } from "@sinclair/typebox";

import { withoutCiphertext } from "#audit/event/sealed-text.js";
import { timestampOf } from "#audit/event/timestamp.js";
import { hashOf } from "#audit/event/unlinked-event.js";
import type { Fault } from "#core/bus/outcome.js";
import { type Clock, systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { AuditEvent } from "#core/ports/audit-event.js";
import type { AuditQuery, AuditRow, AuditSource } from "#core/ports/audit-sink.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import type { AuditEvents, AuditEventsQuery, ShownAuditEvent } from "../api/audit.js";
import { LATE, withDeadline } from "../api/deadline.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";

type Page = Static<typeof AuditEvents>["data"];
type Refused = Fault<InspectorFault>;

/** Events that a page by `run` or `text` reads, and how many at once: 6 MB with 64 KiB each. */
const MAX_READ = 2000;
const READ_AT_ONCE = 100;
/** A query that is late keeps its place until its sink has responded. */
const MAX_AT_ONCE = 4;
/** Longer than any text that a sink takes. */
const MAX_TEXT = 5000;

export interface AuditListOptions {
  readonly source: AuditSource;
  readonly redactor: () => Redactor;
  readonly clock?: Clock;
}

export class AuditList {
  readonly #options: AuditListOptions;
  #running = 0;

  constructor(options: AuditListOptions) {
    this.#options = options;
  }

  async list(query: AuditEventsQuery): Promise<Page | Refused> {
    const { source, clock = systemClock } = this.#options;
    if (this.#running >= MAX_AT_ONCE)
      return unread(`${source.shown} is still reading for earlier queries: try again later`);
    const asked = { isLate: false };
    this.#running += 1;
    const page = this.#page(query, asked).finally(() => {
      this.#running -= 1;
    });
    try {
      const listed = await withDeadline(clock, page);
      if (listed !== LATE) return listed;
      asked.isLate = true;
      page.catch(() => undefined);
      return unread(`${source.shown} takes longer than 5 s: filter by actor, action, target or time`);
    } catch (error) {
      // Others may quote what a database says.
      return unread(error instanceof FrameworkError ? error.message : "Its sink failed");
    }
  }

  async #page(query: AuditEventsQuery, asked: { readonly isLate: boolean }): Promise<Page> {
    const { source } = this.#options;
    const { run, text, limit = 100, before, since, until, ...exact } = query;
    const wanted: AuditQuery = {
      ...exact,
      ...(since !== undefined && { since: timestampOf(since * 1000) }),
      ...(until !== undefined && { until: timestampOf(until * 1000) }),
      newestFirst: true,
    };
    const from = (position: number | undefined) => position !== undefined && { before: position };
    const isWhole = run === undefined && text === undefined;
    const found = new Map<number, ShownAuditEvent>();
    const named = new Map<number, ShownAuditEvent>();
    // What was done to a run is found wherever it is, not only among the events that are read.
    if (run !== undefined && exact.target === undefined)
      for (const row of await source.query({ ...wanted, target: run, ...from(before), limit }))
        this.#add(named, row, text);
    let next = before;
    for (let read = 0; ; ) {
      const atOnce = isWhole ? limit : READ_AT_ONCE;
      const rows = await source.query({ ...wanted, ...from(next), limit: atOnce });
      let isFull = false;
      for (const row of rows) {
        isFull = !isWhole && found.size >= limit;
        if (isFull) break;
        read += 1;
        next = requirePlace(source.shown, row);
        if (isOf(row, run)) this.#add(found, row, text);
      }
      const isEnd = rows.length < atOnce && !isFull;
      if (!isEnd && !isWhole && found.size < limit && read < MAX_READ && !asked.isLate) continue;
      const events = [...new Map([...named, ...found]).values()].sort(
        (one, other) => other.position - one.position,
      );
      return { log: source.shown, events, next: isEnd ? null : (next ?? null), read };
    }
  }

  #add(found: Map<number, ShownAuditEvent>, row: AuditRow, text: string | undefined): void {
    const shown = this.#shown(row);
    if (text === undefined || JSON.stringify(shown).toLowerCase().includes(text.toLowerCase()))
      found.set(shown.position, shown);
  }

  #shown(row: AuditRow): ShownAuditEvent {
    const { position } = row;
    if (!("event" in row)) return { position, event: null, problem: `It was changed: ${row.unreadable}` };
    const { event } = row;
    const texts = [event.id, event.timestamp, event.actor, event.action, event.target].map(cut);
    const [id, timestamp, actor, action, target] = texts as [string, string, string, string, string];
    const metadata = this.#options.redactor().redact(unsealed(event.metadata));
    return {
      position,
      event: {
        ...{ id, timestamp, actor, action, target },
        intent: event.intent === undefined ? null : cut(event.intent),
        metadata: metadata.value,
        is_cut: metadata.isCut || [...texts, event.intent ?? ""].some((one) => one.length > MAX_TEXT),
      },
      problem: isAsHashed(event) ? null : "It was changed: its hash is another one",
    };
  }
}

const unread = (detail: string): Refused =>
  inspectorFault("AUDIT_UNREAD", { detail, headers: { "retry-after": "1" } });

const isOf = (row: AuditRow, run: string | undefined): boolean =>
  run === undefined || ("event" in row && (row.event.target === run || row.event.metadata["run_id"] === run));

/** A row without a place is forged. The next page could not begin behind it. */
function requirePlace(shown: string, { position }: AuditRow): number {
  if (Number.isSafeInteger(position)) return position;
  throw new FrameworkError(
    "AUDIT_CHAIN_BROKEN",
    `${shown}: a row has no place in the chain: run "framework audit verify"`,
  );
}

/** Of a forged event there may be no canonical JSON. */
function isAsHashed(event: AuditEvent): boolean {
  try {
    return hashOf(event) === event.hash;
  } catch {
    return false;
  }
}

const cut = (text: string): string => {
  const shown = withoutCiphertext(text);
  return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT)}…` : shown;
};

/** Metadata with their sealed texts without ciphertext. */
const unsealed = (metadata: AuditEvent["metadata"]): unknown =>
  JSON.parse(JSON.stringify(metadata), (_, value: unknown) =>
    typeof value === "string" ? withoutCiphertext(value) : value,
  );
