import { FrameworkError } from "#core/errors.js";
import { danger } from "./dangerous-pattern.js";

/** Longer strings fail every pattern: this bounds what a slow pattern can cost. */
const MAX_INPUT = 10_000;

/**
 * The test of a schema's pattern. Throws where it is no regular expression, or one
 * that can take exponential time. Without `flags` it sees code points where it can.
 */
export function checkedPattern(pattern: string, pointer: string, flags?: string): (value: string) => boolean {
  const compiled =
    flags === undefined ? compile(pattern, pointer) : new RegExp(pattern, flags.replace(/[gy]/g, ""));
  const why = danger(compiled);
  if (why !== undefined) {
    throw new FrameworkError(
      "SCHEMA_UNSUPPORTED",
      `Schema at '${pointer}': pattern ${pattern} can take exponential time, because ${why}; rewrite it so that each text matches in one way`,
    );
  }
  return (value) => value.length <= MAX_INPUT && compiled.test(value);
}

// With `u` where the pattern allows it, so that `.` is a code point as JSON Schema says.
function compile(pattern: string, pointer: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    // Not valid with `u`, which forbids escapes that mean nothing.
  }
  try {
    return new RegExp(pattern);
  } catch (cause) {
    const message = `Schema at '${pointer}': pattern ${pattern} is no regular expression`;
    throw new FrameworkError("SCHEMA_INVALID", message, { cause });
  }
}
