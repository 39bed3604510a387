// The rows of a long table that are in the DOM: the visible ones, and a few above and below.

export const ROW_HEIGHT = 28;
const BEYOND = 12;

export interface Rows {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** Height in pixels of the rows left out. */
  readonly above: number;
  readonly below: number;
}

export function rowsInSight(
  total: number,
  scrollTop: number,
  viewHeight: number,
  rowHeight = ROW_HEIGHT,
): Rows {
  const top = Math.max(0, Math.min(scrollTop, total * rowHeight - viewHeight));
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const end = Math.min(total, Math.ceil((top + viewHeight) / rowHeight) + BEYOND);
  return { first, end, above: first * rowHeight, below: (total - end) * rowHeight };
}

/**
 * Rows in the order in which they are shown, with their newest data, while the pointer is over them:
 * what is gone leaves, and what is new comes below them or waits.
 */
export function inPlace<R>(shown: readonly R[], rows: readonly R[], keyOf: (row: R) => string): readonly R[] {
  const newest = new Map(rows.map((row) => [keyOf(row), row]));
  const before = new Set(shown.map(keyOf));
  const stayed = shown.flatMap((row) => newest.get(keyOf(row)) ?? []);
  const last = stayed.at(-1);
  const below = rows.slice(last === undefined ? 0 : rows.indexOf(last) + 1);
  return [...stayed, ...below.filter((row) => !before.has(keyOf(row)))];
}

/**
 * Rows by their first appearance on this page: what was acted on stays where it was, though the server
 * lists it elsewhere.
 * @param seen keys, the first seen first
 */
export function inFirstSeenOrder<R>(
  seen: readonly string[],
  rows: readonly R[],
  keyOf: (row: R) => string,
): readonly R[] {
  const places = new Map(seen.map((key, n) => [key, n]));
  const placeOf = (row: R): number => places.get(keyOf(row)) ?? seen.length;
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b));
}

interface Ordering<R> {
  readonly title: string;
  order?(row: R): number | string | undefined;
}

/** Rows sorted by the column of that title, descending if a minus precedes it; rows without a value last. */
export function inOrder<R>(
  rows: readonly R[],
  columns: readonly Ordering<R>[],
  sorted: string,
): readonly R[] {
  const column = columns.find(({ title }) => title === sorted || `-${title}` === sorted);
  if (column === undefined) return rows;
  const sign = sorted === column.title ? 1 : -1;
  const valued = rows.map((row) => ({ row, value: column.order?.(row) }));
  valued.sort(({ value: a }, { value: b }) => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return a === b ? 0 : (a < b ? -1 : 1) * sign;
  });
  return valued.map(({ row }) => row);
}

/** The scroll position that makes a row visible; undefined if it is visible. */
export function scrollFor(
  row: number,
  scrollTop: number,
  viewHeight: number,
  rowHeight = ROW_HEIGHT,
): number | undefined {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + viewHeight ? top + rowHeight - viewHeight : undefined;
}
