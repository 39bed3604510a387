import type { SchemaError } from "#core/bus/schema-error.js";
import type { Place } from "./marked-places.js";

/** Keywords whose errors contain valid values. */
const SAYS_VALUES = new Set(["const", "anyOf"]);

/**
 * Removes from an error what its schema marks as sensitive. Names below a mark are the client's own
 * and as secret as the value. Constants of a mark are removed.
 */
export function withoutMarked(error: SchemaError, root: Place): SchemaError {
  const steps = error.pointer.split("/").slice(1);
  let place: readonly Place[] = [root];
  for (let depth = 0; ; depth += 1) {
    if (place.some(({ isMarked }) => isMarked)) {
      const isWhole = depth === steps.length;
      if (isWhole && !SAYS_VALUES.has(error.keyword)) return error;
      const pointer = steps.slice(0, depth).map((step) => `/${step}`);
      return { ...error, pointer: pointer.join(""), expected: "a value that fits its schema" };
    }
    const step = steps[depth];
    if (step === undefined) return error;
    place = place.flatMap((at) => inside(at, step.replaceAll("~1", "/").replaceAll("~0", "~")));
  }
}

/** A pointer does not tell a property name from the index of an item: both are tried. */
const inside = (place: Place, step: string): readonly Place[] =>
  [place.property(step), /^\d{1,9}$/.test(step) ? place.item(Number(step)) : undefined].filter(
    (inner) => inner !== undefined,
  );
