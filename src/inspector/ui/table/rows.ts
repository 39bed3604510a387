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
