// Makes a copy of any value that is safe to show: plain, bounded, and without secrets.

import type { TSchema } from "@sinclair/typebox";

import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { REDACTED } from "#core/secrets/secret.js";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";
import { type MarkedPlaces, markedPlaces } from "./marked-places.js";
import { type Redacted, RedactedCopy, type RedactorBounds } from "./redacted-copy.js";
import { unfitPlace } from "./unfit-place.js";

export interface RedactorOptions extends RedactorBounds {
  /** The schema of the values. Without it, names alone decide. */
  readonly schema?: TSchema;
  /** Names to mask if the schema does not cover them: those that other schemas mark. */
  readonly names?: ReadonlySet<string>;
}

export interface Redactor {
  /** `name` is the value's own name: a property, a header, a Bus key. */
  readonly redact: (value: unknown, name?: string) => Redacted;
  /** For a value from JSON that the schema refused. */
  readonly redactUnfit: (value: unknown) => Redacted;
  /** Names of properties that the schema marks. */
  readonly names: ReadonlySet<string>;
}

const OPTIONS = ["schema", "names", "maxDepth", "maxValues", "maxBytes", "maxText", "errorMembers"];
const NO_NAMES: ReadonlySet<string> = new Set();

/** Throws CONFIG_INVALID for limits that leave no room for a value. */
export function compileRedactor(options: RedactorOptions = {}): Redactor {
  requireKnownOptions("compileRedactor", options, OPTIONS);
  const { schema, maxDepth = 12, maxValues = 2000, maxBytes = 16_384 } = options;
  const { maxText = 8192, errorMembers = false } = options;
  const bounds = { maxDepth, maxValues, maxBytes, maxText, errorMembers };
  for (const [name, value, least] of [
    ["maxDepth", maxDepth, 1],
    ["maxValues", maxValues, 1],
    ["maxBytes", maxBytes, 64],
    ["maxText", maxText, 64],
  ] as const)
    if (!Number.isSafeInteger(value) || value < least)
      throw invalidOption(`compileRedactor({ ${name} })`, `use a whole number of ${least} or more`);
  const marked: MarkedPlaces | undefined = schema && markedPlaces(schema);
  const own = marked?.names ?? NO_NAMES;
  const names = options.names === undefined ? own : new Set([...own, ...options.names]);
  return {
    names: own,
    redactUnfit: (value) => {
      const copy = new RedactedCopy(bounds, names);
      return copy.of(value, marked && unfitPlace(marked.root, value));
    },
    redact: (value, name) => {
      if (name !== undefined && (names.has(name) || isSensitiveName(name)))
        return { value: REDACTED, isCut: false, isExact: false };
      const copy = new RedactedCopy(bounds, names);
      return name === undefined ? copy.of(value, marked?.root) : copy.named(value, name, marked?.root);
    },
  };
}
