// Parses the Range field (RFC 9110, section 14), in bytes.

/** Both positions are inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** `whole`: the field is ignored. `none`: 416. */
export type RequestedRanges = "whole" | "none" | readonly [ByteRange, ...ByteRange[]];

/** Above this number of ranges the whole file is sent. */
export const MAX_RANGES = 16;

/** Approximate overhead of a part. Ranges with a smaller gap are merged. */
const PART_BYTES = 128;

const FIELD = /^bytes=(.*)$/i;
const SPEC = /^[ \t]*(?:(\d+)-(\d*)|-(\d+))?[ \t]*$/;

/**
 * Ranges in the order of the field. If some overlap or nearly touch, they are merged and in the order
 * of the file. The field is ignored if it is malformed (section 14.2), has more than MAX_RANGES, or
 * would save nothing.
 */
export function rangesOf(field: string, size: number): RequestedRanges {
  const [, list] = FIELD.exec(field) ?? [];
  if (list === undefined) return "whole";
  const specs = list.split(",");
  const ranges: ByteRange[] = [];
  let given = 0;
  for (const spec of specs) {
    const range = rangeOf(spec, size);
    if (range === "malformed") return "whole";
    if (range === "empty") continue;
    given += 1;
    if (given > MAX_RANGES) return "whole";
    if (range !== "unsatisfiable") ranges.push(range);
  }
  if (given === 0) return "whole";
  const [first, ...others] = joined(ranges);
  if (first === undefined) return "none";
  // An empty file has no last byte.
  if (size === 0) return "whole";
  const bytes = [first, ...others].reduce((sum, range) => sum + lengthOf(range), 0);
  return others.length > 0 && bytes + PART_BYTES * (others.length + 1) >= size ? "whole" : [first, ...others];
}

export const lengthOf = ({ first, last }: ByteRange): number => last - first + 1;

/** The value of Content-Range; without a range, the value for 416. */
export const contentRange = (range: ByteRange | undefined, size: number): string =>
  `bytes ${range === undefined ? "*" : `${range.first}-${range.last}`}/${size}`;

/** Positions may have any number of digits. */
function rangeOf(spec: string, size: number): ByteRange | "malformed" | "empty" | "unsatisfiable" {
  const found = SPEC.exec(spec);
  if (found === null) return "malformed";
  const [, from, to, suffix] = found;
  if (suffix !== undefined) {
    const length = Number(suffix);
    return length === 0 ? "unsatisfiable" : { first: Math.max(0, size - length), last: size - 1 };
  }
  if (from === undefined) return "empty";
  const first = Number(from);
  const last = to === "" ? Number.POSITIVE_INFINITY : Number(to);
  if (isLess(to ?? "", from)) return "malformed";
  return first >= size ? "unsatisfiable" : { first, last: Math.min(last, size - 1) };
}

/** Compares decimal texts beyond the precision of Number; false if one is "". */
function isLess(one: string, other: string): boolean {
  if (one === "") return false;
  const [a, b] = [one.replace(/^0+/, ""), other.replace(/^0+/, "")];
  return a.length === b.length ? a < b : a.length < b.length;
}

function joined(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before === undefined || first > before.last + PART_BYTES) merged.push({ first, last });
    else before.last = Math.max(before.last, last);
  }
  return merged.length === ranges.length ? ranges : merged;
}
