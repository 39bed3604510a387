// The checks of JSON Schema's `format`. They are resolved here, not in TypeBox's global registry:
// another library's registrations must not change a schema. Each check is linear in the length.

import { isIPv4, isIPv6 } from "node:net";
import { isHostLabels, isHostname } from "./host-name.js";
import { isUri, isUriReference } from "./uri.js";

type FormatCheck = (value: string) => boolean;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
// RFC 3339, appendix A: a unit may be followed by the next smaller one alone; weeks stand alone.
const DURATION_TIME = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
const DURATION_DATE = "(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)";
const DURATION = new RegExp(`^P(?:\\d+W|${DURATION_DATE}(?:${DURATION_TIME})?|${DURATION_TIME})$`, "i");
const DOT_STRING = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const QUOTED_STRING = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
const ADDRESS_LITERAL = /^\[(?:IPv6:([^\]]*)|(\d{1,3}(?:\.\d{1,3}){3}))\]$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
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

// A mailbox of RFC 5321, section 4.1.2; at most 64 octets before the `@` (section 4.5.3.1.1).
function isEmail(value: string): boolean {
  const at = value.lastIndexOf("@");
  const local = value.slice(0, at);
  const domain = value.slice(at + 1);
  return (
    at > 0 &&
    at <= 64 &&
    (DOT_STRING.test(local) || QUOTED_STRING.test(local)) &&
    (isHostLabels(domain) || isAddressLiteral(domain))
  );
}

// RFC 5321, section 4.1.3. Numbers may have leading zeros.
function isAddressLiteral(domain: string): boolean {
  const parts = ADDRESS_LITERAL.exec(domain);
  if (parts?.[1] !== undefined) return isPlainIPv6(parts[1]);
  return parts?.[2]?.split(".").every((part) => Number(part) <= 255) === true;
}

/** Without a zone index. */
const isPlainIPv6 = (value: string): boolean => isIPv6(value) && !value.includes("%");

export const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["date", isDate],
  ["time", isTime],
  ["date-time", isDateTime],
  ["duration", (value) => DURATION.test(value)],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIPv4],
  ["ipv6", isPlainIPv6],
  ["uri", isUri],
  ["uri-reference", isUriReference],
  ["uuid", (value) => UUID.test(value)],
  ["json-pointer", (value) => JSON_POINTER.test(value)],
]);
