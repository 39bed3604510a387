// What runs in the threads of the pool: plain functions of data.

import { scryptSync } from "node:crypto";

import { type Fault, fault } from "framework";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Grey values, a byte each, row by row. */
  readonly pixels: Uint8Array;
}

export interface TooSmall {
  readonly code: "TOO_SMALL";
  readonly width: number;
}

/** Half as wide and as high: the mean of each four pixels. */
export function halve({ width, height, pixels }: Picture): Picture | Fault<TooSmall> {
  if (width < 2 || height < 2) return fault({ code: "TOO_SMALL", width });
  const half = { width: width >> 1, height: height >> 1 };
  const small = new Uint8Array(half.width * half.height);
  for (let y = 0; y < half.height; y += 1) {
    for (let x = 0; x < half.width; x += 1) {
      const at = 2 * y * width + 2 * x;
      const sum = [at, at + 1, at + width, at + width + 1].reduce((total, i) => total + (pixels[i] ?? 0), 0);
      small[y * half.width + x] = sum >> 2;
    }
  }
  return { ...half, pixels: small };
}

/** A name for the picture that takes long to guess. About 40 ms of work. */
export const seal = ({ pixels }: Picture): string => scryptSync(pixels, "thumbnails", 16).toString("hex");
