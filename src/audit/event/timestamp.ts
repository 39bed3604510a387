// Timestamps of events: UTC text with microseconds, of fixed length. Their order is the order of the
// texts, and no store rounds them.

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

export const isTimestamp = (text: string): boolean =>
  FORM.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  timestampOf(Date.parse(text) * 1000).slice(0, 19) === text.slice(0, 19);

/** Microseconds since 1970. */
export const timestampOf = (microseconds: number): string => {
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = String(microseconds - milliseconds * 1000).padStart(3, "0");
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
};

/** Maximum difference of the monotonic clock and the wall clock before it is synchronised. */
const MAX_DRIFT_MS = 20;
let origin = performance.timeOrigin;

/** The wall clock has milliseconds; the monotonic clock adds the rest, and follows the wall clock. */
export function microsecondsNow(): number {
  const wall = Date.now();
  const now = origin + performance.now();
  if (Math.abs(now - wall) <= MAX_DRIFT_MS) return Math.floor(now * 1000);
  origin += wall - now;
  return wall * 1000;
}
