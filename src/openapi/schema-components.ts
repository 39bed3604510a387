// Schemas as they stand in a document: what has a name, refers to itself or is used twice is written
// once, under components.schemas. Names follow from the program alone, so that the same program
// writes the same document.
//
//   OA1. One name has one meaning: two schemas of one `$id` that differ are an error.
//   OA2. A schema is written once: an equal one, made or imported again, takes the same component.

import type { TSchema } from "@sinclair/typebox";
import { FrameworkError } from "#core/errors.js";
import { kindOf, partsOf } from "#schema/tree/schema-tree.js";
import { type JsonSchema, writtenSchema } from "./json-schema.js";
import { isName, meaningOf, signatureOf } from "./schema-meaning.js";

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
  /** Equal for equal schemas. */
  readonly signature: string;
  readonly place: Inside;
  /** Undefined while it is written. */
  json: JsonSchema | undefined;
}

const NO_SCOPE: ReadonlyMap<string, string> = new Map();

export class SchemaComponents {
  readonly #components = new Map<string, Component>();
  readonly #bySource = new Map<TSchema, string>();
  readonly #byId = new Map<string, string>();
  readonly #uses = new Map<TSchema, number>();
  readonly #declared = new Map<string, TSchema>();
  /** Comparisons with components that are being written. */
  readonly #pending: (() => void)[] = [];

  /** `reserved` are components of the document's own. */
  constructor(reserved: Readonly<Record<string, JsonSchema>> = {}) {
    const place = { owner: "every route", name: "", pointer: "", scope: NO_SCOPE };
    for (const [name, json] of Object.entries(reserved))
      this.#components.set(name, { signature: "reserved", place, json });
  }

  /** Counts a schema that will be written: one that is counted twice gets a name. */
  count(schema: TSchema, isOfModule = false): void {
    if (schema === null || typeof schema !== "object") return;
    const uses = this.#uses.get(schema) ?? 0;
    this.#uses.set(schema, uses + 1);
    const { $id } = schema;
    if ($id !== undefined && !isOfModule && !this.#declared.has($id)) this.#declared.set($id, schema);
    if (uses > 0) return;
    for (const [step, part] of partsOf(schema)) this.count(part, step.startsWith("$defs/"));
  }

  /** The schema, or a reference to it. Throws OPENAPI_INVALID for what JSON Schema cannot say. */
  write(schema: TSchema, place: SchemaPlace): JsonSchema {
    const written = this.#write(schema, { ...place, pointer: "", scope: NO_SCOPE });
    for (let compare = this.#pending.pop(); compare !== undefined; compare = this.#pending.pop()) compare();
    return written;
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
    if (isName(schema.$id)) return this.#identified(schema, schema.$id, place);
    if (schema.$id === undefined && !this.#isShared(schema)) return this.#body(schema, place);
    return this.#component(schema, titleOf(schema) ?? place.name, place);
  }

  /** Objects and what is made of them: a name for a text with a limit would hide the limit. */
  #isShared(schema: TSchema): boolean {
    return (this.#uses.get(schema) ?? 0) > 1 && hasObjects(schema);
  }

  #identified(schema: TSchema, id: string, place: Inside): JsonSchema {
    const known = this.#byId.get(id);
    if (known === undefined) return this.#component(schema, written(id), place);
    const other = this.#components.get(known) as Component;
    if (other.signature !== signatureOf(schema, place.scope))
      this.#compare(schema, id, other, { ...place, name: known });
    return referenceTo(known);
  }

  /** Throws for a schema that asks for anything else than the component of its `$id` (OA1). */
  #compare(schema: TSchema, id: string, other: Component, place: Inside): void {
    // One that is being written has met its own name inside.
    if (other.json === undefined) {
      this.#pending.push(() => this.#compare(schema, id, other, place));
      return;
    }
    const own = this.#body(schema, { ...place, scope: new Map([...place.scope, [id, place.name]]) });
    if (meaningOf(own) === meaningOf(other.json)) return;
    throw invalid(
      place,
      `two different schemas have the $id '${id}', the other one in ${other.place.owner}`,
      "give one of them another $id",
    );
  }

  #component(source: TSchema, wanted: string, place: Inside): JsonSchema {
    const signature = signatureOf(source, place.scope);
    const name = this.#nameOf(wanted, signature);
    const id = source.$id;
    this.#bySource.set(source, name);
    if (isName(id)) this.#byId.set(id, name);
    if (this.#components.has(name)) return referenceTo(name);
    const scope = id === undefined ? place.scope : new Map([...place.scope, [id, name]]);
    const component: Component = { signature, place, json: undefined };
    this.#components.set(name, component);
    component.json = this.#body(source, { ...place, name, scope });
    return referenceTo(name);
  }

  /** Each part of the module that is reached has a component. */
  #imported(schema: TSchema, place: Inside): JsonSchema {
    const parts = schema["$defs"] as Readonly<Record<string, TSchema>>;
    const scope = new Map(place.scope);
    const fresh: (readonly [TSchema, string, Component])[] = [];
    for (const name of reachedFrom(schema["$ref"], parts)) {
      const part = parts[name] as TSchema;
      // Each import of a module copies its parts; those of another module may have the same names.
      const signature = reachedFrom(name, parts)
        .map((each) => signatureOf(parts[each] as TSchema, NO_SCOPE))
        .join("\n");
      const component = this.#bySource.get(part) ?? this.#nameOf(written(name), signature);
      scope.set(name, component);
      this.#bySource.set(part, component);
      if (this.#components.has(component)) continue;
      const made: Component = { signature, place, json: undefined };
      this.#components.set(component, made);
      fresh.push([part, component, made]);
    }
    for (const [part, name, component] of fresh) component.json = this.#body(part, { ...place, scope, name });
    return referenceTo(scope.get(schema["$ref"]) as string);
  }

  #referred(schema: TSchema, place: Inside): JsonSchema {
    const id = schema["$ref"] as string;
    const name = place.scope.get(id) ?? this.#byId.get(id);
    if (name !== undefined) return referenceTo(name);
    const declared = this.#declared.get(id);
    if (declared !== undefined) return this.#write(declared, { ...place, pointer: "", scope: NO_SCOPE });
    throw invalid(place, `nothing here is named '${id}'`, "give the schema itself, or a Type.Module");
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

  /** That of an equal schema with this name (OA2), or one that is free. */
  #nameOf(wanted: string, signature: string): string {
    const isFit = (name: string): boolean =>
      (this.#components.get(name)?.signature ?? signature) === signature;
    let name = wanted;
    for (let n = 2; !isFit(name); n += 1) name = `${wanted}${n}`;
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
