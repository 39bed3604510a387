/** Parses a typed duration: "12 ms", "1.5 s", "800 us", "800" (microseconds). */
export function microseconds(text: string): number | undefined {
  const found = /^\s*(\d+(?:\.\d+)?)\s*(us|µs|ms|s)?\s*$/.exec(text);
  if (found === null) return undefined;
  const unit = found[2] === "s" ? 1e6 : found[2] === "ms" ? 1e3 : 1;
  return Number(found[1]) * unit;
}

/**
 * The text that `microseconds` parses to the same number. "" if there is none: not a duration, or a
 * number with an exponent.
 */
export function durationText(us: number): string {
  const unit = us === 0 || us % 1e3 !== 0 ? "us" : us % 1e6 === 0 ? "s" : "ms";
  const text = `${unit === "s" ? us / 1e6 : unit === "ms" ? us / 1e3 : us} ${unit}`;
  return microseconds(text) === us ? text : "";
}
