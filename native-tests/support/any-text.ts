import fc from "fast-check";

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

// The unit "binary" of fast-check first makes a table of all code points: a second of CPU
// and 100 MB for each process.
const character = fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map(
  (at) => String.fromCodePoint(at < FIRST_SURROGATE ? at : at + SURROGATES),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== text) throw new Error("no single character");
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);

/** Texts of any code points, with those that are names of every object among them. */
export const anyText = (size: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> =>
  fc.string({ ...size, unit: character });
