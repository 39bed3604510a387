// Schemas as they stand in a document: what has a name, refers to itself or is used twice is written
// once, under components.schemas. Names follow from the program alone, so that the same program
// writes the same document.
//
//   OA1. One name has one meaning: two schemas of one `$id` that differ are an error.

import type { TSchema } from "@sinclair/typebox";
import { FrameworkError } from "#core/errors.js";
import { isAnnotation } from "#schema/compile/keywords.js";
import { kindOf, partsOf } from "#schema/tree/schema-tree.js";
import { type JsonSchema, writtenSchema } from "./json-schema.js";

/** Where a schema stands. */
export interface SchemaPlace {
  /** For messages: "POST /orders, body". */
  readonly owner: string;
  /** What a schema without a name is called there: "PostOrdersBody". */
  readonly name: string;
}

interface Inside extends SchemaPlace {
  readonly pointer: string;
  /** Component names by what references mean here. */
  readonly scope: ReadonlyMap<string, string>;
}

interface Component {
  readonly source: TSchema;
  readonly place: Inside;
  /** Undefined while it is written. */
  json: JsonSchema | undefined;
}

/** TypeBox numbers recursive schemas without a name, in the order in which modules are loaded. */
const NUMBERED = /^T\d+$/;

export class SchemaComponents {
  readonly #components = new Map<string, Component>();
  readonly #bySource = new Map<TSchema, string>();
  readonly #byId = new Map<string, string>();
  readonly #uses = new Map<TSchema, number>();

  /** Counts a schema that will be written: one that is counted twice gets a name. */
  count(schema: TSchema): void {
    if (schema === null || typeof schema !== "object") return;
    const uses = this.#uses.get(schema) ?? 0;
    this.#uses.set(schema, uses + 1);
    if (uses === 0) for (const [, part] of partsOf(schema)) this.count(part);
  }

  /** The schema, or a reference to it. Throws OPENAPI_INVALID for what JSON Schema cannot say. */
  write(schema: TSchema, place: SchemaPlace): JsonSchema {
    return this.#write(schema, { ...place, pointer: "", scope: new Map() });
  }

  /** By name, sorted. */
  get all(): Readonly<Record<string, JsonSchema>> {
    const entries = [...this.#components].map(([name, { json }]) => [name, json as JsonSchema] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #write(schema: TSchema, place: Inside): JsonSchema {
    const kind = kindOf(schema);
    if (kind === "Import") return this.#imported(schema, place);
    if (kind === "This" || kind === "Ref") return this.#referred(schema, place);
    const known = this.#bySource.get(schema);
    if (known !== undefined) return referenceTo(known);
    if (schema.$id !== undefined && !NUMBERED.test(schema.$id))
      return this.#identified(schema, schema.$id, place);
    if (schema.$id === undefined && !this.#isShared(schema)) return this.#body(schema, place);
    return this.#component(schema, this.#free(titleOf(schema) ?? place.name), place);
  }

  /** Objects and what is made of them: a name for a text with a limit would hide the limit. */
  #isShared(schema: TSchema): boolean {
    return (this.#uses.get(schema) ?? 0) > 1 && hasObjects(schema);
  }

  #identified(schema: TSchema, id: string, place: Inside): JsonSchema {
    const known = this.#byId.get(id);
    if (known === undefined) {
      const name = this.#free(written(id));
      this.#byId.set(id, name);
      return this.#component(schema, name, place);
    }
    const other = this.#components.get(known) as Component;
    // One that is being written is met again inside itself.
    if (other.json !== undefined) {
      const own = this.#body(schema, { ...place, scope: new Map([...place.scope, [id, known]]) });
      if (meaningOf(own) !== meaningOf(other.json))
        throw invalid(
          place,
          `two different schemas have the $id '${id}', the other one in ${other.place.owner}`,
          "give one of them another $id",
        );
    }
    return referenceTo(known);
  }

  #component(source: TSchema, name: string, place: Inside): JsonSchema {
    const component: Component = { source, place, json: undefined };
    this.#components.set(name, component);
    this.#bySource.set(source, name);
    const scope = source.$id === undefined ? place.scope : new Map([...place.scope, [source.$id, name]]);
    component.json = this.#body(source, { ...place, name, scope });
    return referenceTo(name);
  }

  /** Each part of the module that is reached has a component. */
  #imported(schema: TSchema, place: Inside): JsonSchema {
    const parts = schema["$defs"] as Readonly<Record<string, TSchema>>;
    const scope = new Map(place.scope);
    const reached = reachedFrom(schema["$ref"], parts);
    const fresh = reached.filter((name) => !this.#bySource.has(parts[name] as TSchema));
    for (const name of reached) {
      const part = parts[name] as TSchema;
      const known = this.#bySource.get(part) ?? this.#sameAs(name, part) ?? this.#free(written(name));
      scope.set(name, known);
      if (this.#bySource.has(part)) continue;
      this.#bySource.set(part, known);
      if (!this.#components.has(known)) this.#components.set(known, { source: part, place, json: undefined });
    }
    for (const name of fresh) {
      const component = this.#components.get(scope.get(name) as string) as Component;
      component.json ??= this.#body(parts[name] as TSchema, {
        ...place,
        scope,
        name: scope.get(name) as string,
      });
    }
    return referenceTo(scope.get(schema["$ref"]) as string);
  }

  /** Each import of a module copies its parts. */
  #sameAs(name: string, part: TSchema): string | undefined {
    const known = this.#components.get(written(name));
    return known !== undefined && JSON.stringify(known.source) === JSON.stringify(part)
      ? written(name)
      : undefined;
  }

  #referred(schema: TSchema, place: Inside): JsonSchema {
    const name = place.scope.get(schema["$ref"]) ?? this.#byId.get(schema["$ref"]);
    if (name === undefined)
      throw invalid(
        place,
        `nothing here is named '${schema["$ref"]}'`,
        "give the schema itself, or a Type.Module",
      );
    return referenceTo(name);
  }

  #body(schema: TSchema, place: Inside): JsonSchema {
    return writtenSchema(
      schema,
      (inner, step) =>
        this.#write(inner, {
          ...place,
          name: place.name + pascal(step.replace(/^(?:properties|patternProperties)\//, "")),
          pointer: `${place.pointer}/${step}`,
        }),
      (what, remedy) => {
        throw invalid(place, what, remedy);
      },
    );
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.#components.has(name); n += 1) name = `${wanted}${n}`;
    return name;
  }
}

const invalid = ({ owner, pointer }: Inside, what: string, remedy: string): FrameworkError =>
  new FrameworkError("OPENAPI_INVALID", `${owner}, schema at '${pointer}': ${what}; ${remedy}`);

const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

function hasObjects(schema: TSchema): boolean {
  const kind = kindOf(schema);
  if (kind === "Object") return true;
  return (kind === "Union" || kind === "Intersect") && partsOf(schema).some(([, part]) => hasObjects(part));
}

const titleOf = ({ title }: TSchema): string | undefined => {
  const name = title === undefined ? "" : pascal(title);
  return name === "" ? undefined : name;
};

/** What a component may be called: no reference to it needs an escape. */
const written = (id: string): string => id.replace(/[^A-Za-z0-9._-]/g, "_");

/** "order line" is OrderLine. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

function reachedFrom(first: string, parts: Readonly<Record<string, TSchema>>): readonly string[] {
  const reached = new Set<string>();
  const walk = (schema: TSchema): void => {
    const { $ref: name } = schema as { readonly $ref?: string };
    if (name !== undefined && name in parts) visit(name);
    for (const [, part] of partsOf(schema)) walk(part);
  };
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    walk(parts[name] as TSchema);
  };
  visit(first);
  return [...reached];
}

/** What it asks of values. */
const meaningOf = (json: JsonSchema): string => JSON.stringify(withoutAnnotations(json));

function withoutAnnotations(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(withoutAnnotations);
  return Object.fromEntries(
    Object.entries(json)
      .filter(([keyword]) => !isAnnotation(keyword))
      .map(([keyword, value]) => [
        keyword,
        // Names of properties are no keywords.
        keyword === "properties" || keyword === "patternProperties"
          ? Object.fromEntries(
              Object.entries(value as object).map(([name, part]) => [name, withoutAnnotations(part)]),
            )
          : withoutAnnotations(value),
      ]),
  );
}
