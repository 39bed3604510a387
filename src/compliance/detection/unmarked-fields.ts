// Fields of a schema whose names say personal data, and which no mark covers.

import type { TSchema } from "@sinclair/typebox";

import type { Category } from "#core/secrets/sensitive.js";
import { listedMarks } from "#schema/redaction/listed-marks.js";
import { kindOf, partsOf } from "#schema/tree/schema-tree.js";
import { kindOfName } from "./personal-names.js";

export interface UnmarkedField {
  /** A JSON Pointer; `*` stands for any item or name. */
  readonly pointer: string;
  readonly kind: Category;
}

const IN_PLACE = /^(?:anyOf|allOf|not|\$defs)\b/;

/** Credentials are not among them: their names are masked everywhere. */
export function unmarkedFields(schema: TSchema): readonly UnmarkedField[] {
  const marked = listedMarks(schema).map(({ pointer }) => `${pointer}/`);
  const found = new Map<string, UnmarkedField>();
  const visit = (part: TSchema, pointer: string, parent: string | undefined): void => {
    if (marked.some((mark) => `${pointer}/`.startsWith(mark))) return;
    for (const [step, inner] of partsOf(part)) {
      if (!step.startsWith("properties/")) {
        visit(inner, IN_PLACE.test(step) ? pointer : `${pointer}/*`, parent);
        continue;
      }
      const here = `${pointer}/${step.slice("properties/".length)}`;
      const name = here.slice(here.lastIndexOf("/") + 1);
      const kind = kindOf(inner) === "Boolean" ? undefined : kindOfName(name, parent);
      // A mark around the field, or on a part of it, shows that it was thought of.
      const isMarked = marked.some((mark) => mark.startsWith(`${here}/`) || `${here}/`.startsWith(mark));
      if (kind === undefined || kind === "credential" || isMarked) visit(inner, here, name);
      else found.set(here, { pointer: here, kind });
    }
  };
  visit(schema, "", undefined);
  return [...found.values()];
}
