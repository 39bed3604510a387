// What a run did inside its steps, as it is stored and shown: rows below a visit, with attributes
// masked, and texts of statements and queries only where payloads are captured in full.

import type { InnerSpan, InnerSpans } from "#core/timeline/inner-span.js";
import { visible } from "#core/wire/visible-text.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import type { InnerRow } from "../api/traces.js";
import type { CaptureMode } from "./payload-capture.js";
import type { Visit } from "./visits.js";

export type KeptRow = InnerRow & { readonly node: string };

/** Attributes with texts that hold values of the program. Their numbers are shown. */
const TEXTS =
  /statement|query|\bsql\b|param|\bargs?\b|command|document|message|stack|body|header|target|(?:url|uri)$|(?:url|uri)\.(?:full|path|query|fragment|original)/i;
/** What only operators see of a run. */
const FOR_OPERATORS = /stack|(?:exception|error)\.message|^(?:client|enduser|user|source)\./i;
/** Where values begin in a name such as "SELECT * FROM users WHERE id = 'x'" or "GET /users?id=x". */
const VALUES = /["'`=?<>]/;
const ROW_BYTES = 200;

/** Each span behind the one around it, as far as it was at the end of the run. */
export function innerRows(
  { all }: InnerSpans,
  mode: CaptureMode,
  redactor: Redactor,
  endUs: number,
): readonly KeptRow[] {
  const inside = new Map<InnerSpan | undefined, InnerSpan[]>();
  for (const span of all) {
    const siblings = inside.get(span.parent);
    if (siblings === undefined) inside.set(span.parent, [span]);
    else siblings.push(span);
  }
  const rows: KeptRow[] = [];
  const add = (parent: InnerSpan | undefined, depth: number): void => {
    for (const span of inside.get(parent) ?? []) {
      rows.push(rowOf(span, depth, mode, redactor, endUs));
      add(span, depth + 1);
    }
  };
  add(undefined, 0);
  return rows;
}

function rowOf(
  { node, kind, name, fromUs, tookUs, failed, attributes }: InnerSpan,
  depth: number,
  mode: CaptureMode,
  redactor: Redactor,
  endUs: number,
): KeptRow {
  const given = Object.entries(attributes);
  const isShown = ([name, value]: (typeof given)[number]): boolean =>
    mode === "full" || typeof value === "number" || typeof value === "boolean" || !TEXTS.test(name);
  const called = mode === "full" ? name : (name.split(VALUES, 1)[0] ?? "").trim();
  return {
    ...{ node, kind, depth, from_us: fromUs, is_open: tookUs === undefined },
    name: visible(String(redactor.redact(called).value)),
    duration_us: tookUs ?? Math.max(0, endUs - fromUs),
    failed: failed ?? null,
    attributes: redactor.redact(Object.fromEntries(given.filter(isShown))).value,
    withheld: given.filter((one) => !isShown(one)).map(([name]) => visible(name)),
  };
}

/** Without texts of exceptions, and without the client's address and identity. */
export const rowForViewers = (row: InnerRow): InnerRow => ({
  ...row,
  attributes: Object.fromEntries(
    Object.entries(Object(row.attributes)).filter(([name]) => !FOR_OPERATORS.test(name)),
  ),
});

export const rowsBytes = (rows: readonly KeptRow[]): number =>
  rows.reduce((sum, row) => sum + ROW_BYTES + 2 * JSON.stringify(row).length, 0);

/** The rows of each visit: a row belongs to the last visit of its node that had begun. */
export function rowsByVisit(
  rows: readonly KeptRow[],
  visits: readonly Visit[],
): ReadonlyMap<Visit, readonly InnerRow[]> {
  const found = new Map<Visit, InnerRow[]>();
  for (const { node, ...row } of rows) {
    const isBegun = (one: Visit): boolean => one.node === node && one.entered_us <= row.from_us;
    const visit = visits.findLast(isBegun) ?? visits.find((one) => one.node === node);
    if (visit === undefined) continue;
    const known = found.get(visit);
    if (known === undefined) found.set(visit, [row]);
    else known.push(row);
  }
  return found;
}
