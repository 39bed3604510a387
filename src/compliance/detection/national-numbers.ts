// National numbers of persons and firms, a row each: the shape, and the check over the text without
// separators. Digits without separators count only where the structure leaves no chance
// (`isCertain`), or where the caller names the country.

import { isMonthDay, mod11x10, remainder, verhoeff, weighted } from "./check-digits.js";

export interface NationalNumber {
  /** ISO 3166 code of the country. */
  readonly region: string;
  readonly kind: "national_id" | "tax_id";
  /** Without separators at its ends; linear, because each repetition has a fixed length. */
  readonly shape: string;
  readonly fits: (plain: string) => boolean;
  readonly isCertain?: true;
}

const two = (text: string, at: number): number => Number(text.slice(at, at + 2));
const checked = (digits: string, weights: readonly number[]): number =>
  (11 - (weighted(digits, weights) % 11)) % 10;
const last = (text: string): number => Number(text.at(-1));
const isVaried = (digits: string): boolean => !/^(\d)\1+$/.test(digits);
const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => (from < to ? from + i : from - i));
/** Two check digits, each modulo 11 over all before it: Brazil. */
const brazilian = (digits: string, weights: readonly number[]): boolean =>
  isVaried(digits) &&
  [1, 0].every((missing) => {
    const rest = weighted(digits, weights.slice(missing)) % 11;
    return Number(digits.at(-1 - missing)) === (rest < 2 ? 0 : 11 - rest);
  });

const FISCAL_ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function isFiscalCode(text: string): boolean {
  let sum = 0;
  for (let i = 0; i < 15; i += 1) {
    const value = Number.parseInt(text[i] as string, 36);
    const rank = value > 9 ? value - 10 : value;
    sum += i % 2 === 0 ? (FISCAL_ODD[rank] as number) : rank;
  }
  return String.fromCharCode(65 + (sum % 26)) === text[15];
}

/** In the first ten digits one occurs twice or three times, the others once at most. */
function hasOneRepeated(digits: string): boolean {
  const counts = range(0, 9).map((digit) => digits.slice(0, 10).split(String(digit)).length - 1);
  const repeated = counts.filter((count) => count > 1);
  return repeated.length === 1 && (repeated[0] as number) <= 3;
}

/** Not the milliseconds of a time between 2001 and 2033. */
const isNoTime = (digits: string): boolean => digits.length !== 13 || !/^1[0-9]/.test(digits);

export const NATIONAL_NUMBERS: readonly NationalNumber[] = [
  {
    region: "US",
    kind: "national_id",
    shape: "\\d{3}([ -])\\d{2}\\1\\d{4}",
    // Two numbers were printed in advertisements; 9xx with these groups are ITINs.
    fits: (n) =>
      /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$|^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/.test(n) &&
      !["078051120", "219099999"].includes(n),
  },
  {
    region: "KR",
    kind: "national_id",
    shape: "\\d{6}-?[1-8]\\d{6}",
    isCertain: true,
    fits: (n) =>
      isMonthDay(two(n, 2), two(n, 4)) && checked(n, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) === last(n),
  },
  {
    region: "KR",
    kind: "tax_id",
    shape: "\\d{3}-\\d{2}-\\d{5}",
    fits: (n) => {
      const tail = Number(n[8]) * 5;
      const sum = weighted(n, [1, 3, 7, 1, 3, 7, 1, 3]) + Math.floor(tail / 10) + (tail % 10);
      return isVaried(n) && (10 - (sum % 10)) % 10 === last(n);
    },
  },
  {
    region: "GB",
    kind: "national_id",
    shape: "[A-Z]{2} ?\\d{2} ?\\d{2} ?\\d{2} ?[A-D]",
    fits: (n) => /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]/.test(n),
  },
  {
    region: "DE",
    kind: "tax_id",
    shape: "[1-9]\\d ?\\d{3} ?\\d{3} ?\\d{3}",
    isCertain: true,
    fits: (n) => hasOneRepeated(n) && mod11x10(n),
  },
  {
    region: "FR",
    kind: "national_id",
    shape: "[123478] ?\\d{2} ?\\d{2} ?\\d[\\dAB] ?\\d{3} ?\\d{3} ?\\d{2}",
    isCertain: true,
    fits: (n) => {
      const month = two(n, 3);
      const plain = n.slice(0, 13).replace("A", "0").replace("B", "0");
      const corsican = n[6] === "A" ? 1_000_000 : n[6] === "B" ? 2_000_000 : 0;
      const valid = (month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50;
      return valid && 97 - ((Number(plain) - corsican) % 97) === two(n, 13);
    },
  },
  {
    region: "ES",
    kind: "national_id",
    shape: "(?:\\d{8}|[XYZ]-?\\d{7})-?[A-HJ-NP-TV-Z]",
    fits: (n) =>
      "TRWAGMYFPDXBNJZSQVHLCKE"[
        Number(n.slice(0, -1).replace(/^[XYZ]/, (a) => String("XYZ".indexOf(a)))) % 23
      ] === n.at(-1),
    isCertain: true,
  },
  {
    region: "IT",
    kind: "tax_id",
    shape: "[A-Z]{6}[\\dL-V]{2}[A-EHLMPR-T][\\dL-V]{2}[A-Z][\\dL-V]{3}[A-Z]",
    fits: isFiscalCode,
    isCertain: true,
  },
  {
    region: "BR",
    kind: "tax_id",
    shape: "\\d{3}\\.?\\d{3}\\.?\\d{3}-?\\d{2}",
    fits: (n) => brazilian(n, range(11, 2)),
  },
  {
    region: "BR",
    kind: "tax_id",
    shape: "\\d{2}\\.?\\d{3}\\.?\\d{3}/?\\d{4}-?\\d{2}",
    fits: (n) => brazilian(n, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]),
  },
  {
    region: "IN",
    kind: "national_id",
    shape: "[2-9]\\d{3}([ -]?)\\d{4}\\1\\d{4}",
    fits: verhoeff,
  },
  { region: "IN", kind: "tax_id", shape: "[A-Z]{3}P[A-Z]\\d{4}[A-Z]", fits: () => true, isCertain: true },
  {
    region: "CN",
    kind: "national_id",
    shape: "[1-8]\\d{5}(?:19|20)\\d{2}[01]\\d[0-3]\\d{4}[\\dX]",
    isCertain: true,
    fits: (n) =>
      "10X98765432"[weighted(n, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === n[17],
  },
  {
    region: "PL",
    kind: "national_id",
    shape: "\\d{11}",
    isCertain: true,
    fits: (n) =>
      isMonthDay(two(n, 2) - (two(n, 2) > 20 ? 20 : 0), two(n, 4)) &&
      weighted(n, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0 &&
      isVaried(n),
  },
  {
    region: "BE",
    kind: "national_id",
    shape: "\\d{2}\\.?\\d{2}\\.?\\d{2}-?\\d{3}\\.?\\d{2}",
    isCertain: true,
    fits: (n) =>
      isMonthDay(two(n, 2), two(n, 4)) &&
      ["", "2"].some((century) => 97 - remainder(century + n.slice(0, 9), 97) === two(n, 9)),
  },
  {
    region: "NO",
    kind: "national_id",
    shape: "\\d{6} ?\\d{5}",
    isCertain: true,
    fits: (n) =>
      isMonthDay(two(n, 2), two(n, 0)) &&
      weighted(n, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
      weighted(n, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  },
  {
    region: "FI",
    kind: "national_id",
    shape: "\\d{6}[-+A-FU-Y]\\d{3}[\\dA-FHJ-NPR-Y]",
    isCertain: true,
    fits: (n) => {
      const digits = n.replace(/[-+A-Y]/, "");
      const check = "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(digits.slice(0, 9)) % 31];
      return isMonthDay(two(n, 2), two(n, 0)) && check === n.at(-1);
    },
  },
  {
    region: "CH",
    kind: "national_id",
    shape: "756\\.?\\d{4}\\.?\\d{4}\\.?\\d{2}",
    isCertain: true,
    fits: (n) => weighted(n, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
];

/** The number that a text of the row's shape is, if it counts. */
export function isNationalNumber(row: NationalNumber, text: string, regions: ReadonlySet<string>): boolean {
  const isKnown = regions.has(row.region);
  const isBare = /^\d+$/.test(text);
  if (!isKnown && isBare && !(row.isCertain && isNoTime(text))) return false;
  const upper = text.toUpperCase();
  return row.fits(row.region === "FI" ? upper : upper.replace(/[^\dA-Z]/g, ""));
}
