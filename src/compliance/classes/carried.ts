// What values may carry of the marked data. A schema declares what a value has. A value without one
// may have everything that its step could read, which is inferred.

import type { TSchema } from "@sinclair/typebox";

import { type Category, type ClassificationLevel, highest } from "#core/secrets/sensitive.js";
import { withErrorOwner } from "#schema/compile/error-owner.js";
import { requireMarks, unmarkedNames } from "#schema/redaction/listed-marks.js";
import { classify } from "./classify.js";

/** "unknown": the value may have data that no schema declares, such as that of a resource. */
export type Certainty = "declared" | "inferred" | "unknown";

/** A marked field, and where its value enters the program. */
export interface CarriedField {
  /** "body /email". */
  readonly name: string;
  readonly level: ClassificationLevel;
  readonly category?: Category;
}

/** What a value may have. */
export interface Carried {
  /** By name. */
  readonly fields: ReadonlyMap<string, CarriedField>;
  /** What it has of other sources, which no schema declares: "content of Users". */
  readonly unknown: ReadonlySet<string>;
  /** True if a schema declares the fields. */
  readonly isDeclared: boolean;
}

export const NOTHING: Carried = { fields: new Map(), unknown: new Set(), isDeclared: true };

export function joined(all: readonly Carried[]): Carried {
  const [first = NOTHING, ...others] = all.filter((each) => each !== NOTHING);
  if (others.length === 0) return first;
  return {
    fields: new Map(all.flatMap(({ fields }) => [...fields])),
    unknown: new Set(all.flatMap(({ unknown }) => [...unknown])),
    isDeclared: all.every(({ isDeclared }) => isDeclared),
  };
}

export const inferred = (carried: Carried): Carried =>
  carried.isDeclared ? { ...carried, isDeclared: false } : carried;

export const certaintyOf = ({ unknown, isDeclared }: Carried): Certainty =>
  unknown.size > 0 ? "unknown" : isDeclared ? "declared" : "inferred";

export const levelOf = ({ fields }: Carried): ClassificationLevel | undefined =>
  [...fields.values()].reduce<ClassificationLevel | undefined>(
    (level, field) => highest(level, field.level),
    undefined,
  );

export const carriedOf = (...fields: readonly CarriedField[]): Carried => ({
  ...NOTHING,
  fields: new Map(fields.map((field) => [field.name, field])),
});

/**
 * What a schema declares. It lowers what its step could read, `reach`, except for an unmarked
 * property that has the name of a marked field there: an omitted mark is more likely than another value.
 * Throws SCHEMA_INVALID for marks that cannot be meant: a record would say less than its author does.
 */
export function declaredBy(schema: TSchema, source: string, reach: Carried = NOTHING): Carried {
  withErrorOwner(source, () => requireMarks(schema));
  const marked = classify(schema).filter(({ level }) => level !== "public");
  const own = marked.map(({ pointer, level, category }) => ({
    name: pointer === "" ? source : `${source} ${pointer}`,
    level,
    ...(category !== undefined && { category }),
  }));
  const unmarked = reach.fields.size === 0 ? undefined : unmarkedNames(schema);
  const omitted = [...reach.fields.values()].filter(({ name }) =>
    unmarked?.has(name.slice(name.lastIndexOf("/") + 1)),
  );
  const declared = carriedOf(...own, ...omitted);
  return omitted.length === 0 ? declared : inferred(declared);
}
