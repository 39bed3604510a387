// Spans are told from one reading of the monotonic clock to the next, and collectors want
// milliseconds since 1970: what lies between the two.

/** How far apart the two may be before the wall clock counts: it has whole milliseconds. */
const APART_MS = 2;

let offset = Date.now() - performance.now();

/** What to add to `performance.now()`. A trace takes it once, so that its spans never overlap wrongly. */
export function wallOffset(): number {
  const now = Date.now() - performance.now();
  if (Math.abs(now - offset) > APART_MS) offset = now;
  return offset;
}
