// The forms in which values of an output schema are sent, each with its part of the schema: texts, bytes,
// nothing, and everything else as JSON.

import type { TSchema } from "@sinclair/typebox";
import { kindOf } from "#schema/tree/schema-tree.js";

/** "any" of a schema without an own form: what is sent follows from the value. */
type Form = "json" | "text" | "bytes" | "nothing" | "any";

const BODIES = ["json", "text", "bytes", "any"] as const;

/** Parts of a module, by name. */
type Definitions = Readonly<Record<string, TSchema>>;

/** 200 and 204, by the values of an output schema. */
export function statusesOf(schema: TSchema): readonly number[] {
  const isEmpty = partOf(schema, "nothing") !== undefined;
  const hasBody = BODIES.some((form) => partOf(schema, form) !== undefined);
  return [...(hasBody || !isEmpty ? [200] : []), ...(isEmpty ? [204] : [])];
}

// One part for each schema and form: routes that share an output schema share a component.
const known = new WeakMap<TSchema, Map<Form, TSchema | undefined>>();

/** The part of the schema that has the form; undefined for none. */
export function partOf(schema: TSchema, form: Form): TSchema | undefined {
  const parts = known.get(schema) ?? new Map<Form, TSchema | undefined>();
  known.set(schema, parts);
  if (!parts.has(form)) parts.set(form, cut(schema, form, {}, new Set()));
  return parts.get(form);
}

function cut(
  schema: TSchema,
  form: Form,
  names: Definitions,
  above: ReadonlySet<TSchema>,
): TSchema | undefined {
  const [target, inner] = resolved(schema, names);
  if (kindOf(target) !== "Union")
    return formOf(target) === form ? (form === "text" ? target : schema) : undefined;
  // A union of itself has no further members.
  if (above.has(target)) return undefined;
  const within = new Set([...above, target]);
  const members = target["anyOf"] as readonly TSchema[];
  const found = members.flatMap((member) => cut(member, form, inner, within) ?? []);
  const [first] = found;
  if (first === undefined) return undefined;
  if (found.length === members.length && found.every((part, i) => part === members[i])) return schema;
  // The name of a union is worth more to clients than its JSON type without the texts.
  if (form === "json" && (target !== schema || target.$id !== undefined)) return schema;
  if (found.length === 1) return first;
  const { $id: _id, default: _default, examples: _examples, ...rest } = target;
  return { ...rest, anyOf: found } as unknown as TSchema;
}

/** What a reference into a module leads to, and the names that hold there. */
function resolved(schema: TSchema, names: Definitions): readonly [TSchema, Definitions] {
  const kind = kindOf(schema);
  const inner = kind === "Import" ? (schema["$defs"] as Definitions) : names;
  const target = kind === "Import" || kind === "Ref" ? inner[schema["$ref"] as string] : undefined;
  // A part of a module may be the name of another part.
  return target === undefined || target === schema ? [schema, inner] : resolved(target, inner);
}

function formOf(schema: TSchema): Form | undefined {
  switch (kindOf(schema)) {
    case "Undefined":
    case "Void":
      return "nothing";
    case "Uint8Array":
      return "bytes";
    case "String":
    case "TemplateLiteral":
    case "RegExp":
      return "text";
    case "Any":
    case "Unknown":
      return "any";
    case "Never":
      return undefined;
    case "Intersect":
      return ofIntersection(schema["allOf"]);
    default:
      return typeof schema["const"] === "string" || schema["type"] === "string" ? "text" : "json";
  }
}

/** A value fits all of them. */
const ofIntersection = (parts: readonly TSchema[]): Form | undefined =>
  parts.map(formOf).find((form) => form !== "any" && form !== "json") ?? "json";
