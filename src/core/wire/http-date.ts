// HTTP dates (RFC 9110, section 5.6.7): one form is written, three are read.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(${MONTHS.join("|")})`;
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
// 60 is a leap second.
const TIME = "([01]\\d|2[0-3]):([0-5]\\d):([0-5]\\d|60)";

const FIXED = new RegExp(`^${DAY}, (\\d\\d) ${MONTH} (\\d{4}) ${TIME} GMT$`);
const RFC850 = new RegExp(`^${LONG_DAY}, (\\d\\d)-${MONTH}-(\\d\\d) ${TIME} GMT$`);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} (\\d\\d| \\d) ${TIME} (\\d{4})$`);

/** The written form: "Sun, 06 Nov 1994 08:49:37 GMT". `ms` must be in the years 0 to 9999. */
export const httpDate = (ms: number): string => new Date(ms).toUTCString();

/**
 * Milliseconds since 1970; undefined if the text is no date. A two-digit year that would be more
 * than 50 years after `now` is in the previous century.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  const fixed = FIXED.exec(text);
  if (fixed !== null) return timeOf(Number(fixed[3]), fixed[2], fixed[1], fixed.slice(4));
  const asctime = ASCTIME.exec(text);
  if (asctime !== null) return timeOf(Number(asctime[6]), asctime[1], asctime[2], asctime.slice(3, 6));
  const rfc850 = RFC850.exec(text);
  if (rfc850 === null) return undefined;
  const today = new Date(now);
  const century = today.getUTCFullYear() - (today.getUTCFullYear() % 100);
  const inYear = (year: number): number | undefined => timeOf(year, rfc850[2], rfc850[1], rfc850.slice(4));
  const year = century + Number(rfc850[3]);
  const time = inYear(year);
  const horizon = today.setUTCFullYear(today.getUTCFullYear() + 50);
  return time !== undefined && time > horizon ? inYear(year - 100) : time;
}

/** Undefined for a day that the month does not have. */
function timeOf(
  year: number,
  month: string | undefined,
  day: string | undefined,
  [hours, minutes, seconds]: readonly string[],
): number | undefined {
  const date = new Date(0);
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year, MONTHS.indexOf(month as string), Number(day));
  if (date.getUTCDate() !== Number(day)) return undefined;
  return date.setUTCHours(Number(hours), Number(minutes), Number(seconds));
}
