// Which rows of a long table are drawn: those in sight, and a few above and below.

export const ROW_HEIGHT = 28;
const BEYOND = 12;

export interface Rows {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
  /** Pixels of what is not drawn. */
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

/** Where to scroll so that a row is in sight; undefined where it is already. */
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
