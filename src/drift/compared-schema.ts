import type { TSchema } from "@sinclair/typebox";

import { type Misfit, misfits, removedProperties, standalone } from "#schema/compile/schema-comparison.js";
import type { Direction } from "./change.js";

export interface SchemaChange {
  readonly direction: Direction & ("narrowed" | "widened" | "changed" | "added" | "removed");
  readonly text: string;
}

/**
 * Changes of the values that a schema accepts. It may be narrower in one place and wider in another. If
 * an open object no longer names a property, an input is narrower and an output is wider.
 */
export function schemaChanges(
  before: TSchema | undefined,
  after: TSchema | undefined,
  role: "input" | "output",
): readonly SchemaChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (before === undefined) return [{ direction: "added", text: "has a schema now" }];
  if (after === undefined) return [{ direction: "removed", text: "has no schema any more" }];
  const [old, next] = [standalone(before), standalone(after)];
  const gone = removedProperties(old, next).map((pointer) => `${pointer}: gone`);
  const fresh = removedProperties(next, old).map((pointer) => `${pointer}: new, optional`);
  const narrower = [
    ...misfits(old, next).map((misfit) => said(misfit.sup, misfit.sub, misfit)),
    ...(role === "input" ? gone : fresh),
  ];
  const wider = [
    ...misfits(next, old).map((misfit) => said(misfit.sub, misfit.sup, misfit)),
    ...(role === "input" ? fresh : gone),
  ];
  const found: SchemaChange[] = [];
  if (narrower.length > 0) found.push({ direction: "narrowed", text: narrower.join("; ") });
  if (wider.length > 0) found.push({ direction: "widened", text: wider.join("; ") });
  return found.length > 0 ? found : [{ direction: "changed", text: "takes the same values" }];
}

const said = (now: string, was: string, { pointer }: Misfit): string =>
  `${pointer === "" ? "" : `${pointer}: `}${now}, was ${was}`;
