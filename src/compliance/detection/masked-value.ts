// A copy of a value whose personal data is masked, and which fits the same schema.

import { REDACTED } from "#core/secrets/secret.js";
import type { PlacedFinding } from "./detect.js";
import type { TextFind } from "./text-finds.js";

type Change = (value: unknown) => unknown;

/** More findings than this are masked alike, as each trial checks the whole value. */
const MAX_TRIED = 50;

/** Undefined if something cannot be masked so that the value still fits. */
export function masked(
  input: unknown,
  found: readonly PlacedFinding[],
  fits: (value: unknown) => boolean,
): { readonly value: unknown } | undefined {
  const changes: (readonly [readonly string[], readonly Change[]])[] = [];
  for (const { path, part } of outermost(found)) {
    if (part === "key") return undefined;
    changes.push([path, changesOf(part)]);
  }
  const alike = (way: 0 | 1): unknown =>
    changes.reduce((rest, [path, ways]) => changed(rest, path, ways[way] as Change), input);
  const plain = alike(0);
  if (fits(plain)) return { value: plain };
  if (changes.length > MAX_TRIED) {
    const inForms = alike(1);
    return fits(inForms) ? { value: inForms } : undefined;
  }
  let value = input;
  for (const [path, ways] of changes) {
    const fitting = ways.map((change) => changed(value, path, change)).find(fits);
    if (fitting === undefined) return undefined;
    value = fitting;
  }
  return { value };
}

/** One finding for each place: a whole value stands for its parts, and what is found in one text is masked at once. */
function outermost(found: readonly PlacedFinding[]): readonly PlacedFinding[] {
  const whole = found.filter(({ part }) => part === "whole");
  const texts = new Map<string, PlacedFinding>();
  for (const finding of found) {
    const { part, path } = finding;
    if (part === "whole" || whole.some((each) => each.path.every((step, i) => step === path[i]))) continue;
    const key = JSON.stringify(path);
    const before = texts.get(key)?.part;
    texts.set(
      key,
      Array.isArray(before) && part !== "key" ? { ...finding, part: [...before, ...part] } : finding,
    );
  }
  return [...whole, ...texts.values()];
}

/** From the plainest to the one that keeps the form of the value, for formats and patterns. */
const changesOf = (part: readonly TextFind[] | "whole"): readonly Change[] =>
  part === "whole"
    ? [eachText(() => REDACTED), eachText(inForm)]
    : [
        (text) => spansOf(text as string, part, () => REDACTED),
        (text) => spansOf(text as string, part, inForm),
      ];

/** Numbers become 0; switches and nothing stay. */
function eachText(mask: (text: string) => string): Change {
  const change: Change = (value) => {
    if (typeof value === "string") return mask(value);
    if (typeof value === "number") return 0;
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
  };
  return change;
}

/** `xxxxx@xxxxxxx.xxx`, `+00 00 000000`. */
const inForm = (text: string): string => text.replace(/\p{L}/gu, "x").replace(/\p{N}/gu, "0");

function spansOf(text: string, spans: readonly TextFind[], mask: (text: string) => string): string {
  let result = "";
  let end = 0;
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    result += text.slice(end, from) + mask(text.slice(from, to));
    end = to;
  }
  return result + text.slice(end);
}

function changed(value: unknown, [step, ...rest]: readonly string[], change: Change): unknown {
  if (step === undefined) return change(value);
  const inner = changed((value as Readonly<Record<string, unknown>>)[step], rest, change);
  if (Array.isArray(value)) return value.with(Number(step), inner);
  return { ...(value as object), [step]: inner };
}

export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, step) => (inner as Readonly<Record<string, unknown>>)[step], value);
