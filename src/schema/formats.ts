// The values of JSON Schema's `format` that are checked here. Resolved in this
// file and not in TypeBox's global registry: what a schema means must not depend
// on what another library registered. Each check is linear in the length.

import { isIPv4, isIPv6 } from "node:net";

type FormatCheck = (value: string) => boolean;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
const DURATION = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const URI = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})*$/i;
const URI_REFERENCE = /^(?:[a-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})*$/i;
const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

// RFC 3339, section 5.7.
function isDate(value: string): boolean {
  const parts = DATE.exec(value);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}

// RFC 3339, section 5.6; a leap second is 23:59:60 in UTC.
function isTime(value: string): boolean {
  const parts = TIME.exec(value);
  if (parts === null) return false;
  const [hour, minute, second] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const [offsetHour, offsetMinute] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (parts[4] === "-" ? -1 : 1);
  return (((hour * 60 + minute - offset) % 1440) + 1440) % 1440 === 1439;
}

function isDateTime(value: string): boolean {
  const split = value.charAt(10);
  return (
    (split === "T" || split === "t" || split === " ") && isDate(value.slice(0, 10)) && isTime(value.slice(11))
  );
}

// RFC 1123 host names.
const isHostname = (value: string): boolean =>
  value.length <= 253 && value.split(".").every((label) => HOST_LABEL.test(label));

// The addresses that mail servers exchange: no quoted local part, no comments (RFC 5321, section 4.1.2).
function isEmail(value: string): boolean {
  const at = value.lastIndexOf("@");
  return at > 0 && at <= 64 && LOCAL_PART.test(value.slice(0, at)) && isHostname(value.slice(at + 1));
}

export const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["date", isDate],
  ["time", isTime],
  ["date-time", isDateTime],
  ["duration", (value) => DURATION.test(value)],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIPv4],
  ["ipv6", (value) => isIPv6(value) && !value.includes("%")],
  ["uri", (value) => URI.test(value)],
  ["uri-reference", (value) => URI_REFERENCE.test(value)],
  ["uuid", (value) => UUID.test(value)],
  ["json-pointer", (value) => JSON_POINTER.test(value)],
]);
