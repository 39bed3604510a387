// Telephone numbers: international ones by their calling codes, national ones by libphonenumber-js,
// an optional peer, which is loaded where regions are first given.

import { createRequire } from "node:module";

import { FrameworkError } from "#core/errors.js";
import { invalidOption } from "#core/invalid-option.js";

const require = createRequire(import.meta.url);

/** Calling codes of ITU-T E.164 beside 1. */
const CALLING_CODE = new RegExp(
  "^(?:7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|21[1-368]|22\\d|23\\d|24\\d|25[0-8]|26\\d|29[017-9]" +
    "|35\\d|37[0-8]|38[0-35-79]|42[013]|50\\d|59\\d|67[02-9]|68[0-35-9]|69[0-2]|85[02356]|88[0136]|96[0-8]|97[0-7]|99[2-68])",
);
const NORTH_AMERICAN = /^1[2-9]\d\d[2-9]\d{6}$/;
const MIN_DIGITS = 9;
const MAX_DIGITS = 15;

/** One range each: a repetition of a single class cannot be matched in several ways. */
export const INTERNATIONAL = /(?<![\w+])(?:\+|00(?=[ .(-]?[1-9]))[ ]?\(?\d[\d ()./-]{6,24}(?<=\d)(?!\w)/g;
export const NATIONAL = /(?<![\w.#/+-])\(?\d[\d ()./-]{5,22}(?<=\d)(?![\w-]|\.\d)/g;
/** North America and mobile telephones of Korea, where the separators leave little doubt. */
const UNNAMED =
  /^(?:\([2-9]\d\d\) ?|(?:1[ .-])?[2-9]\d\d([.-]))[2-9]\d\d(?:\1|[.-])\d{4}$|^01[016789]-\d{3,4}-\d{4}$/;
const DATE = /^(?:\d{4}([-/. ])[01]?\d\1[0-3]?\d|[0-3]?\d([-/.])[0-3]?\d\2\d{2,4})(?!\.?\d)/;
/** IP addresses, numbers of books and of persons. */
const OTHER = /^\d{1,3}(?:\.\d{1,3}){3}$|^\d[ .-]|^\d{3}-\d\d-\d{4}$/;

const MIN_NATIONAL = /^(?:\D*\d){7,15}\D*$/;

export type NationalNumbers = (text: string) => boolean;

/** Of a text that INTERNATIONAL found: how much of it is one number, 0 if none is. */
export const internationalLength = (text: string): number =>
  lengthOf(text, (part) => {
    const digits = part.replace("(0)", "").replace(/\D/g, "").replace(/^00/, "");
    if (digits.startsWith("1")) return NORTH_AMERICAN.test(digits);
    return digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS && CALLING_CODE.test(digits);
  });

/** Of a text that NATIONAL found. */
export const nationalLength = (text: string, isValid: NationalNumbers | undefined): number =>
  DATE.test(text)
    ? 0
    : lengthOf(
        text,
        (part) =>
          UNNAMED.test(part) || (MIN_NATIONAL.test(part) && !OTHER.test(part) && isValid?.(part) === true),
      );

/** Two numbers may stand side by side: groups are left off until the rest is one. */
function lengthOf(text: string, isNumber: (part: string) => boolean): number {
  for (let part = text; part.length > 6; part = part.replace(/ +[^ ]*$|[^ ]+$/, ""))
    if (isNumber(part)) return part.length;
  return 0;
}

/** Throws CONFIG_INVALID for a region that is none, or where the package is not installed. */
export function nationalNumbers(regions: readonly string[], load = phoneLibrary): NationalNumbers {
  const { isSupportedCountry, default: parse } = loaded(load);
  const known = regions.filter((region) => isSupportedCountry(region));
  if (known.length < regions.length) {
    const wrong = regions.find((region) => !isSupportedCountry(region));
    throw invalidOption(
      "detect({ regions })",
      `'${String(wrong)}' is no region: give codes such as "DE" or "US"`,
    );
  }
  return (text) =>
    known.some((region) => {
      const number = parse(text, { defaultCountry: region, extract: false });
      if (number?.isValid() !== true) return false;
      // Digits alone, or in groups of another kind, are order numbers as often.
      if (/^\d+$/.test(text)) return /^0\d{9}/.test(text) && number.getType() === "MOBILE";
      return /^\(|^0/.test(text) || groupsOf(text) === groupsOf(number.formatNational());
    });
}

const groupsOf = (text: string): string => text.replace(/\D+/g, " ").trim();

/** What is used of the package: its own types would be needed where it is not installed. */
interface PhoneLibrary {
  readonly isSupportedCountry: (code: string) => boolean;
  readonly default: (
    text: string,
    options: { readonly defaultCountry: string; readonly extract: boolean },
  ) => PhoneNumber | undefined;
}

interface PhoneNumber {
  readonly isValid: () => boolean;
  readonly getType: () => string | undefined;
  readonly formatNational: () => string;
}

const phoneLibrary = (): PhoneLibrary => require("libphonenumber-js/max");

function loaded(load: () => PhoneLibrary): PhoneLibrary {
  try {
    return load();
  } catch (cause) {
    throw new FrameworkError(
      "CONFIG_INVALID",
      'National telephone numbers need the package libphonenumber-js: run "npm install libphonenumber-js@1.13.16", or leave out regions',
      { cause },
    );
  }
}
