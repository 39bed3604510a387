// Formats durations with a fitting unit and three significant digits.

const NBSP = "\u00a0";

/** From microseconds: "412 µs", "1.24 ms", "12.4 s", "3 min 20 s". */
export function duration(us: number): string {
  if (us < 999.5) return `${figures(us)}${NBSP}µs`;
  if (us < 999_500) return `${figures(us / 1e3)}${NBSP}ms`;
  if (us < 59_950_000) return `${figures(us / 1e6)}${NBSP}s`;
  const seconds = Math.round(us / 1e6);
  if (seconds < 3600) return joined(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(minutes / 60);
  return joined(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** Three significant digits of a number below 1000: "1.24", "12.4", "124". */
export function figures(n: number): string {
  if (Number.isInteger(n)) return String(n);
  if (n < 9.995) return n.toFixed(2);
  return n < 99.95 ? n.toFixed(1) : n.toFixed(0);
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  const head = `${large}${NBSP}${largeUnit}`;
  return small === 0 ? head : `${head}${NBSP}${small}${NBSP}${smallUnit}`;
}
