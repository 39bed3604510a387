import type { TSchema } from "@sinclair/typebox";

import type { Choice } from "./choice.js";

/** Default maximum of a number without an upper bound. */
const USUAL = 1000;
const PARTS = 1_000_000;

interface Range {
  readonly least: number;
  readonly most: number;
  readonly allows: (value: number) => boolean;
}

/** A valid number of an Integer or Number schema; NaN if none is found. */
export function number(schema: TSchema, choice: Choice, isWhole: boolean): number {
  const step = stepOf(schema, isWhole);
  const range = rangeOf(schema, step);
  return step === 0 ? fraction(range, choice) : multiple(range, step, choice);
}

/** The step between valid values; 0 for any fraction. */
const stepOf = ({ multipleOf }: TSchema, isWhole: boolean): number => multipleOf ?? (isWhole ? 1 : 0);

function rangeOf(schema: TSchema, step: number): Range {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const spread = USUAL * Math.max(step, 1);
  const given = { least: largest(minimum, above), most: smallest(maximum, below) };
  const least = given.least ?? Math.min(0, (given.most ?? 0) - spread);
  return {
    least,
    most: given.most ?? Math.max(0, least) + spread,
    allows: (value) => (above === undefined || value > above) && (below === undefined || value < below),
  };
}

function multiple({ least, most, allows }: Range, step: number, choice: Choice): number {
  let first = Math.ceil(least / step);
  let last = Math.floor(most / step);
  if (!allows(tidy(first * step))) first += 1;
  if (!allows(tidy(last * step))) last -= 1;
  if (first > last) return Number.NaN;
  const at = choice.isPlain
    ? nearestToNought(first, last)
    : first + choice.below(Math.min(last - first + 1, PARTS));
  return tidy(at * step);
}

/** With two decimal digits if possible. */
function fraction({ least, most, allows }: Range, choice: Choice): number {
  const plainest = nearestToNought(least, most);
  const drawn = choice.isPlain ? plainest : least + (most - least) * ((choice.below(PARTS - 1) + 1) / PARTS);
  const between = [Math.round(drawn * 100) / 100, drawn, (least + most) / 2];
  return between.find((value) => value >= least && value <= most && allows(value)) ?? Number.NaN;
}

const nearestToNought = (first: number, last: number): number => (first > 0 ? first : last < 0 ? last : 0);

/** Removes rounding errors such as 0.30000000000000004. */
const tidy = (value: number): number => (Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)));

const largest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
const smallest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
