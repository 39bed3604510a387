// Maps durations to cells: one per microsecond below 64, then 32 per doubling.

/** Up to 2^32 microseconds, 71 minutes: longer durations count in the last cell. */
export const CELLS = 896;
export const LONGEST_US = 4_294_967_295;

/** For whole microseconds from 0 to {@link LONGEST_US}. */
export const cellOf = (us: number): number => {
  const shift = 26 - Math.clz32(us | 63);
  return (shift << 5) + (us >>> shift);
};

/** The whole microseconds in the middle of a cell. */
export function middleOf(cell: number): number {
  if (cell < 64) return cell;
  const shift = (cell >>> 5) - 1;
  return ((cell & 31) + 32.5) * (1 << shift);
}

/** Rounds and clamps to the range of the cells. */
export const countedUs = (us: number): number =>
  us >= LONGEST_US ? LONGEST_US : us > 0 ? Math.round(us) : 0;
