// Distributions as HdrHistograms, the form that tools of other languages read and merge.
// Not what windows are made of, nor what processes send one another: each takes some 50 us to
// write and to read. Decision 0014 has the figures.

import { createRequire } from "node:module";
import type * as HdrHistogram from "hdr-histogram-js";

import { type Cells, Distribution } from "./distribution.js";
import { CELLS, cellOf, middleOf } from "./log-linear.js";

/** Of two digits, a hundredth: finer than the cells, so that each keeps a place of its own. */
const DIGITS = 2;
/** Doubles: what a process counts in its life may be more than 32 bits hold. */
const COUNT_BITS = 64;

const require = createRequire(import.meta.url);
let loaded: typeof HdrHistogram | undefined;

/** Loaded where it is used: it takes some milliseconds. */
function hdrHistogram(): typeof HdrHistogram {
  loaded ??= require("hdr-histogram-js") as typeof HdrHistogram;
  return loaded;
}

/** An HdrHistogram of microseconds, compressed, as base64. */
export const encodeHdr = (cells: Cells): string => hdrHistogram().encodeIntoCompressedBase64(filled(cells));

/** One of the samples of both. */
export function mergeHdr(left: string, right: string): string {
  const merged = decoded(left);
  merged.add(decoded(right));
  return hdrHistogram().encodeIntoCompressedBase64(merged);
}

/**
 * What {@link encodeHdr} was given, but for the sum, which is then that of the cells' values,
 * and the longest, which is its cell's.
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

/** Always of the same size: what is longer than the other's longest has a place in a merged one. */
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
