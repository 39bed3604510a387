// The record of processing as data: `processing.ts` makes it, `record-text.ts` prints it.

import { type Carried, type Certainty, certaintyOf, levelOf } from "#compliance/classes/carried.js";
import type { SourceLocation } from "#core/flow/schematic.js";
import type { ClassificationLevel } from "#core/secrets/sensitive.js";

type Direction = "in" | "out" | "kept" | "sent" | "logged" | "audited";

/** One place where marked data comes or goes. */
export interface RecordRow {
  readonly direction: Direction;
  /** "response 201", "runs in sqlite:app.db". */
  readonly place: string;
  /** "body /email"; of what no schema declares, "content of Users". */
  readonly fields: readonly string[];
  /** Undefined if nothing marked is known to be there. */
  readonly level: ClassificationLevel | undefined;
  readonly categories: readonly string[];
  readonly certainty: Certainty;
  /** Of what is kept: for how long. */
  readonly keptFor?: string;
  /** Of what is kept: true if its store encrypts it. */
  readonly isEncrypted?: boolean;
  /** Of what is kept: true if its store knows the person, as sessions do. */
  readonly isOfPerson?: boolean;
  readonly location: SourceLocation | undefined;
}

/** A route, or an Axon without one. */
export interface RecordEntry {
  /** "POST /orders". */
  readonly mount: string;
  readonly axon: string;
  readonly purpose: string | undefined;
  /** Which callers are admitted: "role 'clerk'"; undefined if no identity is required. */
  readonly callers: string | undefined;
  /** True if its data is kept under the person that it is about. */
  readonly hasSubject: boolean;
  readonly rows: readonly RecordRow[];
  readonly location: SourceLocation | undefined;
}

type Place = Pick<RecordRow, "direction" | "place" | "location"> &
  Partial<Pick<RecordRow, "keptFor" | "isEncrypted" | "isOfPerson">>;

/** A row for each field that a schema declares; one row for a value without a schema; none for a value without marked data. */
export function rowsOf(place: Place, carried: Carried): readonly RecordRow[] {
  const fields = [...carried.fields.values()];
  const certainty = certaintyOf(carried);
  if (certainty === "declared")
    return fields.map(({ name, level, category }) => ({
      ...place,
      ...{ fields: [name], level, categories: category === undefined ? [] : [category], certainty },
    }));
  if (fields.length === 0 && certainty === "inferred") return [];
  const categories = new Set(fields.flatMap(({ category }) => category ?? []));
  const names = [...fields.map(({ name }) => name), ...carried.unknown];
  return [{ ...place, fields: names, level: levelOf(carried), categories: [...categories], certainty }];
}
