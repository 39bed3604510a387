// Check digits of numbers, over texts of digits.

/** ISO/IEC 7812: cards. */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = at(digits, digits.length - 1 - i) * (i % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** The remainder of a number of any length. */
export function remainder(digits: string, by: number): number {
  let rest = 0;
  for (let i = 0; i < digits.length; i += 1) rest = (rest * 10 + at(digits, i)) % by;
  return rest;
}

/** The sum of digits times their weights; digits without a weight do not count. */
export const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, i) => sum + weight * at(digits, i), 0);

/** ISO 7064 MOD 11,10: the German tax id. */
export function mod11x10(digits: string): boolean {
  let product = 10;
  for (let i = 0; i < digits.length - 1; i += 1) {
    const sum = (at(digits, i) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === at(digits, digits.length - 1);
}

/** ISO 7064 MOD 97-10: IBAN. Letters count as 10 to 35. */
export function mod97(text: string): boolean {
  let rest = 0;
  for (const each of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(each, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

// Products of the group of the pentagon, and the powers of its permutation.
const PRODUCTS =
  "0123456789123406789523401789563401289567401239567859876043216598710432765982104387659321049876543210";
const PERMUTED = "01234567891576283094580379614289160435279453126870428657390127938064157046913258";

/** Verhoeff: Aadhaar. */
export function verhoeff(digits: string): boolean {
  let product = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const permuted = at(PERMUTED, (i % 8) * 10 + at(digits, digits.length - 1 - i));
    product = at(PRODUCTS, product * 10 + permuted);
  }
  return product === 0;
}

/** True for a month and a day of a calendar; the year may be a leap year. */
export const isMonthDay = (month: number, day: number): boolean =>
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31);

const at = (digits: string, i: number): number => digits.charCodeAt(i) - 48;
