/** Of a column that takes what is left. */
const LEAST = 112;

/** A column as far as its room is concerned. */
export interface Sized {
  /** A CSS width; without one it takes what is left. */
  readonly width?: string;
  /** Where there is no room for all: the lower, the sooner it is left out. Without one it stays. */
  readonly folds?: number;
}

/** Those for which so many pixels are enough: the ones of least worth are left out, as far as that is needed. */
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
 * Pixels that columns of these CSS widths ("72px", "28%", or what is left) need, so that the
 * one without a width does not vanish: below it the table is scrolled sideways.
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
