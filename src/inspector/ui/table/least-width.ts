/** Minimum width of a column that takes the remaining space. */
const LEAST = 112;

/** The width properties of a column. */
export interface Sized {
  /** A CSS width; without one it takes the remaining space. */
  readonly width?: string;
  /** Priority when space is short: the lowest is folded first. Without it the column stays. */
  readonly folds?: number;
}

/** The columns that fit into this width; those of lowest priority are folded as needed. */
export function columnsThatFit<C extends Sized>(columns: readonly C[], pixels: number): readonly C[] {
  let left = columns;
  for (;;) {
    const least = Math.min(...left.map(({ folds = Number.POSITIVE_INFINITY }) => folds));
    if (least === Number.POSITIVE_INFINITY || leastWidth(left.map(({ width }) => width)) <= pixels)
      return left;
    left = left.filter(({ folds }) => folds !== least);
  }
}

/**
 * Pixels that columns of these CSS widths ("72px", "28%", or undefined) need, so that the column
 * without a width stays readable. Below it the table scrolls horizontally.
 */
export function leastWidth(widths: readonly (string | undefined)[]): number {
  let pixels = 0;
  let share = 0;
  for (const width of widths) {
    if (width === undefined) pixels += LEAST;
    else if (width.endsWith("%")) share += Number.parseFloat(width) / 100;
    else pixels += Number.parseFloat(width);
  }
  return Math.ceil(pixels / (1 - Math.min(share, 0.9)));
}
