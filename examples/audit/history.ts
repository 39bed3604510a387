// Reads an audit log: the newest events on a target, page by page.

import type { AuditEvent, AuditSource } from "framework/audit";

const PAGE = 100;

/** Events on this target, the newest first. */
export async function* historyOf(log: AuditSource, target: string): AsyncGenerator<AuditEvent> {
  let before: number | undefined;
  for (;;) {
    const rows = await log.query({
      ...{ target, newestFirst: true, limit: PAGE },
      ...(before !== undefined && { before }),
    });
    for (const row of rows) {
      if (!("event" in row)) throw new Error(`event ${row.position} was changed: ${row.unreadable}`);
      yield row.event;
    }
    before = rows.at(-1)?.position;
    if (rows.length < PAGE) return;
  }
}
