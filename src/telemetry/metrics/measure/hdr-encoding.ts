// Distributions as HdrHistograms, a format that tools of other languages read and merge. Windows
// and messages between processes do not use it: each takes some 50 us to write and to read.
// Decision 0014 has the figures.

import { createRequire } from "node:module";
import type * as HdrHistogram from "hdr-histogram-js";

import { type Cells, Distribution } from "./distribution.js";
import { CELLS, cellOf, middleOf } from "./log-linear.js";

/** Two digits, one hundredth: finer than the cells, so that no two cells share a value. */
const DIGITS = 2;
/** Doubles: the counts of a process's lifetime may exceed 32 bits. */
const COUNT_BITS = 64;

const require = createRequire(import.meta.url);
let loaded: typeof HdrHistogram | undefined;

/** Loaded at first use: it takes some milliseconds. */
function hdrHistogram(): typeof HdrHistogram {
  loaded ??= require("hdr-histogram-js") as typeof HdrHistogram;
  return loaded;
}

/** An HdrHistogram of microseconds, compressed, as base64. */
export const encodeHdr = (cells: Cells): string => hdrHistogram().encodeIntoCompressedBase64(filled(cells));

/** Merges two encoded histograms. */
export function mergeHdr(left: string, right: string): string {
  const merged = decoded(left);
  merged.add(decoded(right));
  return hdrHistogram().encodeIntoCompressedBase64(merged);
}

/**
 * Decodes {@link encodeHdr}. The sum is recomputed from the cells' values, and the maximum is that
 * of its cell.
 */
export function decodeHdr(text: string): Cells {
  const histogram = decoded(text);
  const distribution = new Distribution();
  for (let cell = 0; cell < CELLS; cell += 1) {
    const value = middleOf(cell);
    const count = histogram.getCountAtIndex(histogram.countsArrayIndex(value));
    if (count === 0) continue;
    distribution.add(cellOf(value), count);
    distribution.took(value * count, value);
  }
  return distribution.cells();
}

/** Fixed size: a merged histogram has room for the maximum of either. */
const build = (): HdrHistogram.JsHistogram =>
  hdrHistogram().build({
    bitBucketSize: COUNT_BITS,
    highestTrackableValue: 2 ** 32,
    numberOfSignificantValueDigits: DIGITS,
    useWebAssembly: false,
  }) as HdrHistogram.JsHistogram;

function filled({ pairs }: Cells): HdrHistogram.JsHistogram {
  const histogram = build();
  for (let at = 0; at < pairs.length; at += 2)
    histogram.recordValueWithCount(middleOf(pairs[at] as number), pairs[at + 1] as number);
  return histogram;
}

const decoded = (text: string): HdrHistogram.JsHistogram =>
  hdrHistogram().decodeFromCompressedBase64(text, COUNT_BITS, false) as HdrHistogram.JsHistogram;
