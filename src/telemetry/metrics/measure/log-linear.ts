// How durations are put into cells: one for each microsecond below 64, from there on 32
// for each doubling.

/** Up to 2^32 microseconds, 71 minutes: what is longer is counted in the last. */
export const CELLS = 896;
export const LONGEST_US = 4_294_967_295;

/** Of whole microseconds from 0 to {@link LONGEST_US}. */
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

/** What is counted: whole, and no less or more than there are cells for. */
export const countedUs = (us: number): number =>
  us >= LONGEST_US ? LONGEST_US : us > 0 ? Math.round(us) : 0;
