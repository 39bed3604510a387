/** The regular expressions that a test makes at random. */
export type Pattern =
  | { readonly kind: "character"; readonly of: string }
  | { readonly kind: "sequence" | "choice"; readonly of: readonly Pattern[] }
  | { readonly kind: "repetition"; readonly of: Pattern; readonly min: number; readonly max: number }
  | { readonly kind: "ahead"; readonly of: Pattern; readonly negate: boolean };

export function sourceOf(pattern: Pattern): string {
  switch (pattern.kind) {
    case "character":
      return pattern.of;
    case "sequence":
      return pattern.of.map(sourceOf).join("");
    case "choice":
      return `(?:${pattern.of.map(sourceOf).join("|")})`;
    case "ahead":
      return `(?${pattern.negate ? "!" : "="}${sourceOf(pattern.of)})`;
    case "repetition": {
      const max = pattern.max === Number.POSITIVE_INFINITY ? "" : pattern.max;
      return `(?:${sourceOf(pattern.of)}){${pattern.min},${max}}`;
    }
  }
}

/** Counted instead of timed, so that a slow machine fails no test. */
export function stepsOf(pattern: Pattern, text: string, most: number): number {
  const count = { left: most };
  // Nothing is what is wanted after the pattern, so that every way is tried.
  walk(pattern, text, 0, () => false, count);
  return most - Math.max(count.left, 0);
}

type Then = (at: number) => boolean;

/** As ECMAScript's matcher goes: true where the rest matched, or where the steps are used up. */
function walk(pattern: Pattern, text: string, at: number, then: Then, count: { left: number }): boolean {
  count.left -= 1;
  if (count.left <= 0) return true;
  switch (pattern.kind) {
    case "character":
      return text[at] === pattern.of && then(at + 1);
    case "choice":
      return pattern.of.some((one) => walk(one, text, at, then, count));
    case "ahead":
      return walk(pattern.of, text, at, () => true, count) !== pattern.negate && then(at);
    case "sequence": {
      const from = (i: number): Then => {
        const part = pattern.of[i];
        return part === undefined ? then : (here) => walk(part, text, here, from(i + 1), count);
      };
      return from(0)(at);
    }
    case "repetition": {
      const { of, min, max } = pattern;
      const again = (times: number, start: number): boolean => {
        // An optional turn that took nothing is none.
        const more = (end: number): boolean => (end > start || times < min) && again(times + 1, end);
        return (times < max && walk(of, text, start, more, count)) || (times >= min && then(start));
      };
      return again(0, at);
    }
  }
}
