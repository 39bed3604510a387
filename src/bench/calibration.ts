// A fixed piece of work, timed right before and after what is measured. Both are slowed alike by a
// slower machine and by its neighbours, so their ratio can be compared with one of another hour.
// Changing this work changes every ratio: then raise CALIBRATION, which a comparison looks at.

export const CALIBRATION = 1;

const NAMES = Array.from({ length: 64 }, (_, i) => `name-${i}`);
const PRICES = new Map(NAMES.map((name, i) => [name, 100 + 7 * i]));

interface Line {
  readonly name: string;
  readonly qty: number;
  total: number;
}

// Read by nothing, which V8 cannot know.
let kept: readonly Line[] = [];

/** About 0.1 ms, or a part of it: lookups, small objects, calls, integers and texts, as applications have them. */
export function calibrate(runs = 1500): number {
  const lines: Line[] = [];
  let sum = 0;
  for (let i = 0; i < runs; i += 1) {
    const line = priced(NAMES[(i * 7 + sum) & 63] as string, i & 15);
    if ((i & 31) === 0) lines.push(line);
    sum = (sum + line.total + hash(line.name)) & 0xffff;
  }
  kept = lines;
  return sum + kept.length;
}

const priced = (name: string, qty: number): Line => ({ name, qty, total: (PRICES.get(name) ?? 0) * qty });

function hash(text: string): number {
  let value = 17;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x9e3779b1);
  return value >>> 20;
}
