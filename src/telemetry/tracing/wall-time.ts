// The offset between the monotonic clock, which times spans, and milliseconds since 1970, which
// collectors expect.

/** Tolerated difference of the clocks, since the wall clock has whole milliseconds. */
const APART_MS = 2;

let offset = Date.now() - performance.now();

/** The offset to add to `performance.now()`. A trace reads it once, so that its spans stay consistent. */
export function wallOffset(): number {
  const now = Date.now() - performance.now();
  if (Math.abs(now - offset) > APART_MS) offset = now;
  return offset;
}
