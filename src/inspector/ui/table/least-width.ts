/** Of a column that takes what is left. */
const LEAST = 112;

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
