// Personal data inside a text, by its shape and check digits. Each pattern is linear in the text:
// repetitions are of one class, or of a fixed length.

import { parseIp } from "#core/net/ip-address.js";
import type { Category } from "#core/secrets/sensitive.js";
import { luhn, mod97 } from "./check-digits.js";
import { isNationalNumber, NATIONAL_NUMBERS } from "./national-numbers.js";
import {
  INTERNATIONAL,
  internationalLength,
  NATIONAL,
  type NationalNumbers,
  nationalLength,
} from "./phone-numbers.js";

export interface TextFind {
  readonly kind: Category;
  readonly confidence: number;
  readonly from: number;
  readonly to: number;
}

export interface TextRules {
  readonly regions: ReadonlySet<string>;
  readonly isNationalPhone: NationalNumbers | undefined;
}

export const MAX_FINDS = 100;
/** Numbers of a text that are looked at, for each shape: a national telephone number takes 10 us a region. */
const MAX_LOOKS = 200;
/** What surrounding text takes from the confidence. */
const INSIDE = 0.15;

const BEFORE = "(?<![\\w.#/+-])";
const BEHIND = "(?![\\w-]|\\.\\d)";

/** Prefixes and lengths of issuers: Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay, Maestro, Mir, Troy, RuPay. */
const ISSUERS =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11,16}|(?:6011|64[4-9]\d|65\d\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12,15}|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}|220[0-4]\d{12,15}|9792\d{12}|(?:508|60|8[12])\d{13,14})$/;
const CARD = new RegExp(
  `${BEFORE}(?:\\d{12,19}|\\d{4}([ -])\\d{4}\\1\\d{4}\\1\\d{1,4}(?:\\1\\d{1,3})?|\\d{4}([ -])\\d{6}\\2\\d{4,5})${BEHIND}`,
  "g",
);
const NATIONAL_SHAPES = NATIONAL_NUMBERS.map((row) => ({
  row,
  shape: new RegExp(`${BEFORE}(?:${row.shape})${BEHIND}`, "gi"),
}));

const IBAN_LENGTHS = new Map(
  (
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18" +
    "GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15" +
    "PK24PL28PS29PT25QA29RO24RS22SA24SC31SD18SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20"
  )
    .match(/.{4}/g)
    ?.map((each) => [each.slice(0, 2), Number(each.slice(2))] as const),
);
const IBAN = /(?<![A-Za-z\d])[A-Z]{2}\d{2}(?=[ -]?[A-Z\d])/gi;

const V4 = /(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d|\/\d)/g;
const V6 = /(?<![\w:.])[\dA-Fa-f:][\dA-Fa-f:.]{2,44}(?![\w:])/g;
const VERSION = /(?:version|release|build|firmware)\W{0,3}$/i;

const LOCAL = /[\p{L}\p{N}!#$%&'*+=?^_`{|}~.-]/u;
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,24}|xn--[a-z\d-]{2,59})(?![\p{L}\p{N}_])/iu;
/** Endings of files: `logo@2x.png`. */
const FILE_ENDING = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|css|m?js|tsx?|json|html?)$/i;

/** Separators and digits of other writing systems, each one unit long, as ASCII. */
const UNUSUAL = /[\u00a0\u2007\u202f\u2010-\u2015\u2212\uff0b\uff0d\uff10-\uff19\uff20]/g;
const asAscii = (each: string): string => {
  const code = each.charCodeAt(0);
  if (code >= 0xff00) return String.fromCharCode(code - 0xfee0);
  return code >= 0x2010 && code !== 0x202f ? "-" : " ";
};

/** The finds of a text, without overlaps. `isVersion` if the text is named as one. */
export function textFinds(original: string, rules: TextRules, isVersion = false): readonly TextFind[] {
  const text = original.replace(UNUSUAL, asAscii);
  const finds = new Finds(text);
  emails(text, finds);
  if (/\d/.test(text)) {
    ibans(text, finds);
    if (!isVersion) addresses(text, finds);
    matches(CARD, text, finds, "card", 0.9, (found) => (isCard(found.replace(/\D/g, "")) ? found.length : 0));
    matches(INTERNATIONAL, text, finds, "phone", 0.9, internationalLength);
    for (const { row, shape } of NATIONAL_SHAPES)
      matches(shape, text, finds, row.kind, 0.85, (found) =>
        isNationalNumber(row, found, rules.regions) ? found.length : 0,
      );
    matches(NATIONAL, text, finds, "phone", 0.8, (found) => nationalLength(found, rules.isNationalPhone));
  }
  return finds.list;
}

export const isCard = (digits: string): boolean =>
  // Thirteen digits may be an article number, whose check digit is another one.
  ISSUERS.test(digits) && luhn(digits) && !(digits.length === 13 && isArticle(digits));

const isArticle = (digits: string): boolean =>
  [...digits].reduce((sum, digit, i) => sum + Number(digit) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;

class Finds {
  readonly list: TextFind[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  isTaken(from: number, to: number): boolean {
    return this.list.length >= MAX_FINDS || this.list.some((find) => from < find.to && find.from < to);
  }

  add(kind: Category, from: number, to: number, confidence: number): void {
    if (this.isTaken(from, to)) return;
    const isWhole = this.#text.slice(from, to) === this.#text.trim();
    const exact = isWhole ? confidence : confidence - INSIDE;
    this.list.push({ kind, confidence: Math.round(exact * 100) / 100, from, to });
  }
}

function matches(
  pattern: RegExp,
  text: string,
  finds: Finds,
  kind: Category,
  confidence: number,
  lengthOf: (found: string) => number,
): void {
  let left = MAX_LOOKS;
  for (const match of text.matchAll(pattern)) {
    const [found] = match;
    left -= 1;
    if (left < 0) return;
    if (finds.isTaken(match.index, match.index + found.length)) continue;
    const length = lengthOf(found);
    if (length > 0) finds.add(kind, match.index, match.index + length, confidence);
  }
}

function emails(text: string, finds: Finds): void {
  for (let at = text.indexOf("@"); at > 0; at = text.indexOf("@", at + 1)) {
    let from = at;
    while (from > 0 && at - from <= 64 && LOCAL.test(text[from - 1] as string)) from -= 1;
    const local = text.slice(from, at);
    const domain = DOMAIN.exec(text.slice(at + 1, at + 255))?.[0] ?? "";
    const to = at + 1 + domain.length;
    if (local === "" || local.length > 64 || domain === "" || to - from > 254) continue;
    if (/^\.|\.$|\.\./.test(local) || FILE_ENDING.test(domain) || isAddressOfHost(text, from, to)) continue;
    finds.add("email", from, to, 0.95);
  }
}

/** `ssh://git@host/`, `git@host:path` and `https://user:password@host` name an account of a host. */
function isAddressOfHost(text: string, from: number, to: number): boolean {
  if (/^:[^\s:/]+\/|^\/\w/.test(text.slice(to, to + 80))) return true;
  const before = text.slice(Math.max(0, from - 300), from);
  const scheme = before.lastIndexOf("://");
  return scheme >= 0 && !/[\s/?#<>"]/.test(before.slice(scheme + 3));
}

function ibans(text: string, finds: Finds): void {
  for (const { index } of text.matchAll(IBAN)) {
    const length = IBAN_LENGTHS.get(text.slice(index, index + 2).toUpperCase());
    if (length === undefined) continue;
    let plain = "";
    let to = index;
    for (; to < text.length && plain.length < length; to += 1) {
      const each = text[to] as string;
      if (/[A-Za-z\d]/.test(each)) plain += each;
      else if (!/[ -]/.test(each) || !/[A-Za-z\d]/.test(text[to - 1] as string)) break;
    }
    const isWhole = plain.length === length && !/[A-Za-z\d]/.test(text[to] ?? "");
    if (isWhole && mod97(plain.toUpperCase())) finds.add("bank_account", index, to, 0.95);
  }
}

function addresses(text: string, finds: Finds): void {
  for (const match of text.matchAll(V4)) {
    const { index } = match;
    const isAddress = parseIp(match[0]) !== undefined && !isLikeVersion(match[0]);
    if (isAddress && !VERSION.test(text.slice(Math.max(0, index - 16), index)))
      finds.add("ip_address", index, index + match[0].length, 0.85);
  }
  for (const match of text.matchAll(V6)) {
    const found = match[0].replace(/[.]+$|(?<!:):$/, "");
    const groups = found.split(":");
    if (groups.length < 3 || !/[\dA-Fa-f]/.test(found)) continue;
    const isHardware = groups.every((group) => group.length === 2);
    const isNetwork = /^\/\d/.test(text.slice(match.index + found.length, match.index + found.length + 2));
    if (!isHardware && !isNetwork && parseIp(found) !== undefined)
      finds.add("ip_address", match.index, match.index + found.length, 0.85);
  }
}

/** `1.2.0.4`; but 8.8.4.4. And networks such as 10.1.0.0, which `Chrome/120.0.0.0` looks like. */
function isLikeVersion(text: string): boolean {
  const [a, b, c, d] = text.split(".").map(Number) as [number, number, number, number];
  if (a === 0 || (c === 0 && d === 0)) return true;
  return a < 10 && Math.max(b, c, d) < 20 && !(a === b && c === d);
}
