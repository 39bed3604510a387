import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { AuditQuery, AuditRow } from "#core/ports/audit-sink.js";
import { isPseudonymText } from "./sealed-text.js";
import { isTimestamp } from "./timestamp.js";
import { asked } from "./unlinked-event.js";

const TEXTS = ["actor", "action", "target", "since", "until"] as const;
const POSITIONS = ["after", "before"] as const;

/** The query with its limit. Throws CONFIG_INVALID. */
export function checkedQuery(query: AuditQuery): AuditQuery & { readonly limit: number } {
  requireKnownOptions("query", query, [...TEXTS, ...POSITIONS, "newestFirst", "limit"]);
  for (const name of ["since", "until"] as const)
    if (query[name] !== undefined && !isTimestamp(query[name]))
      throw invalidOption(
        "query",
        `${name} is UTC text with microseconds, such as 2026-01-31T12:00:00.000000Z`,
      );
  const texts = (["actor", "action", "target"] as const).flatMap((name) =>
    query[name] === undefined ? [] : [[name, asked(name, query[name])]],
  );
  return {
    ...query,
    ...Object.fromEntries(texts),
    limit: requireWhole("query", "limit", query.limit ?? 100, 1, 10_000),
  };
}

/** For sinks without indexes. */
export async function matching(
  rows: AsyncIterable<AuditRow>,
  query: AuditQuery & { readonly limit: number },
): Promise<readonly AuditRow[]> {
  const found: AuditRow[] = [];
  for await (const row of rows) {
    if (query.before !== undefined && row.position >= query.before) break;
    if (!isMatch(row, query)) continue;
    found.push(row);
    if (query.newestFirst !== true && found.length >= query.limit) break;
    if (found.length > query.limit) found.shift();
  }
  return query.newestFirst === true ? found.reverse() : found;
}

/** Whether a text matches the query: the text itself, or sealed under the pseudonym. */
const isAsked = (text: string, query: string | undefined): boolean =>
  query === undefined || text === query || (isPseudonymText(query) && text.startsWith(`${query}:`));

export function isMatch(row: AuditRow, query: AuditQuery): boolean {
  if (query.after !== undefined && row.position <= query.after) return false;
  if (!("event" in row)) return !TEXTS.some((name) => query[name] !== undefined);
  const { event } = row;
  return (
    isAsked(event.actor, query.actor) &&
    (query.action === undefined || event.action === query.action) &&
    isAsked(event.target, query.target) &&
    (query.since === undefined || event.timestamp >= query.since) &&
    (query.until === undefined || event.timestamp < query.until)
  );
}
