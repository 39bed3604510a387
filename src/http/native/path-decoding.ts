// Percent-decodes a path once, strictly, per segment: `/%61dmin` is `/admin`.

import { Refusal } from "../refusal/refusal.js";

export const INVALID_PATH = new Refusal("TARGET_INVALID", {
  detail: "The path is not percent-encoded ASCII, or encodes what may not stand in it",
});

// Visible ASCII without "#" and "\".
const PATH = /^[!"$-[\]-~]*$/;

/** A class, because V8 may pretenure literals while many routes start. */
export class DecodedPath {
  readonly segments: readonly string[];
  /** Indexes of segments with an encoded slash or backslash. */
  readonly separated: readonly number[];

  constructor(segments: readonly string[], separated: readonly number[]) {
    this.segments = segments;
    this.separated = separated;
  }
}

const NONE: readonly number[] = [];

/** Decodes a raw path that begins with "/". */
export function decodePath(path: string): DecodedPath | Refusal {
  if (!PATH.test(path)) return INVALID_PATH;
  const segments = path.slice(1).split("/");
  if (!path.includes("%")) return new DecodedPath(segments, NONE);
  const separated: number[] = [];
  for (const [i, raw] of segments.entries()) {
    const segment = decodeSegment(raw);
    // hole: a NUL would end the path in C code behind
    if (segment === undefined || segment.includes("\0")) return INVALID_PATH;
    // hole: "..%2f" would leave a folder or pass a path check
    if (segment.includes("/") || segment.includes("\\")) separated.push(i);
    segments[i] = segment;
  }
  return new DecodedPath(segments, separated);
}

function decodeSegment(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}
