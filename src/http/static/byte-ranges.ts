// The Range field (RFC 9110, section 14), of bytes and nothing else.

/** Its positions, both of them part of it. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** `whole`: the field counts for nothing, and everything is sent. `none`: not a byte of it is there, which is 416. */
export type RequestedRanges = "whole" | "none" | readonly [ByteRange, ...ByteRange[]];

/** A client that wants more pieces gets the whole file. */
export const MAX_RANGES = 16;

/** What a part costs in multipart/byteranges, about: with less between two of them they are one. */
const PART_BYTES = 128;

const FIELD = /^bytes=(.*)$/i;
const SPEC = /^[ \t]*(?:(\d+)-(\d*)|-(\d+))?[ \t]*$/;

/**
 * The ranges of a representation of `size` bytes that a client asks for, in its order; where
 * some overlap or nearly touch they are joined, and in the order of the file. A field that is
 * malformed does not count (section 14.2), nor one with more than MAX_RANGES, nor several
 * ranges that come to no less than the whole: the answer must not be larger for them.
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
  // Nothing has no last byte to name.
  if (size === 0) return "whole";
  const bytes = [first, ...others].reduce((sum, range) => sum + lengthOf(range), 0);
  return others.length > 0 && bytes + PART_BYTES * (others.length + 1) >= size ? "whole" : [first, ...others];
}

export const lengthOf = ({ first, last }: ByteRange): number => last - first + 1;

/** The value of Content-Range; without a range what says how long there is anything. */
export const contentRange = (range: ByteRange | undefined, size: number): string =>
  `bytes ${range === undefined ? "*" : `${range.first}-${range.last}`}/${size}`;

/** Positions of any number of digits: beyond what is there they are all alike. */
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

/** Of numbers of any length, where Number is not exact; "" is less than none. */
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
