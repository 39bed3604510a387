// Object rules that TypeBox's checks lack: required properties that may have any value, and the
// unevaluated properties of intersections.

import { Kind, type TSchema, Type } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import { define, kindOf } from "../tree/schema-tree.js";
import { conjoin, failingAs } from "./conjunction.js";
import { asLeaf, isLeaf } from "./leaf-check.js";

/**
 * Adds required names to the properties, because TypeBox's compiler ignores others, and checks that
 * they are present.
 */
export function asCheckedObject(schema: TSchema): TSchema {
  const { properties, required, additionalProperties: rest } = schema;
  if (required === undefined) return schema;
  const names = new Set<string>(required);
  const others = [...names].filter((name) => !Object.hasOwn(properties, name));
  const other = rest === false ? Type.Never() : typeof rest === "object" ? rest : Type.Unknown();
  const added = others.map((name) => [name, other] as const);
  define(schema, "required", [...names]);
  if (added.length > 0)
    define(schema, "properties", Object.fromEntries([...Object.entries(properties), ...added]));
  return withPresence(schema, [...names]);
}

/**
 * TypeBox accepts an inherited member as a required property, and tests only the value of a
 * property that may be undefined. It reports an absent property itself.
 */
function withPresence(schema: TSchema, required: readonly string[]): TSchema {
  const names = required.filter(
    (name) => name in Object.prototype || canBeUndefined(schema["properties"][name]),
  );
  if (names.length === 0) return schema;
  const presence = asLeaf(Type.Unknown(), JSON.stringify(["present", ...names]), () => ({
    rules: names.map((name) => ({
      // An instance of a class may have properties on its prototype. Values that are not objects
      // were rejected before.
      holds:
        name in Object.prototype
          ? (value: unknown) => Object.hasOwn(Object(value), name)
          : (value: unknown) => typeof value === "object" && value !== null && name in value,
      failure: { keyword: "required", expected: "this property" },
    })),
  }));
  return conjoin(schema, failingAs(presence));
}

const NEVER_UNDEFINED = new Set(
  "Array BigInt Boolean Date Integer Literal Never Null Number Object Record RegExp String Symbol Tuple".split(
    " ",
  ),
);

function canBeUndefined(schema: TSchema): boolean {
  const kind = kindOf(schema) as string;
  if (kind === "Union") return (schema["anyOf"] as TSchema[]).some(canBeUndefined);
  if (kind === "Intersect") return (schema["allOf"] as TSchema[]).every(canBeUndefined);
  return !NEVER_UNDEFINED.has(kind) && !isLeaf(schema);
}

/** The properties that the parts of an intersection evaluate. */
interface Evaluated {
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  /** True if all properties are evaluated. */
  readonly all: boolean;
}

/**
 * Expresses an intersection's `unevaluatedProperties` as a further object schema. TypeBox reads
 * names as patterns, takes only the names common to all variants of a union, and throws for null.
 */
export function asCheckedIntersection(schema: TSchema, pointer: string): TSchema {
  const rest: unknown = schema["unevaluatedProperties"];
  const parts = schema["allOf"] as TSchema[];
  if (rest === undefined && schema["type"] === undefined) return schema;
  const refuse = (what: string, remedy: string): never => {
    throw new FrameworkError("SCHEMA_UNSUPPORTED", `Schema at '${pointer}': ${what}; ${remedy}`);
  };
  if (!parts.some(isOfObjects))
    return refuse("no part of the intersection is an object", "leave type and unevaluatedProperties out");
  if (rest === undefined) return schema;
  define(schema, "unevaluatedProperties", undefined);
  if (rest === true) return conjoin(schema, onlyNamed([], [], true));
  const known = parts.map(evaluatedBy);
  if (known.includes(undefined))
    return refuse(
      "unevaluatedProperties does not see into a union or a reference",
      "make an intersection of objects in each variant, closed there",
    );
  const { names, patterns, all } = together(known as Evaluated[]);
  if (all) return schema;
  const failure = { keyword: "unevaluatedProperties", expected: "no property of this name" };
  return conjoin(schema, failingAs(onlyNamed(names, patterns, rest as TSchema | false), failure));
}

const isOfObjects = (schema: TSchema): boolean =>
  ["Object", "Record"].includes(kindOf(schema) as string) ||
  (kindOf(schema) === "Intersect" && (schema["allOf"] as TSchema[]).some(isOfObjects));

function evaluatedBy(schema: TSchema): Evaluated | undefined {
  const rest: unknown = schema["additionalProperties"];
  const all = rest === true || typeof rest === "object";
  switch (kindOf(schema)) {
    case "Object":
      return { names: Object.keys(schema["properties"]), patterns: [], all };
    case "Record":
      return { names: [], patterns: Object.keys(schema["patternProperties"]), all };
    case "Intersect": {
      const parts = (schema["allOf"] as TSchema[]).map(evaluatedBy);
      return parts.includes(undefined) ? undefined : together(parts as Evaluated[]);
    }
    case "Union":
    case "Ref":
    case "This":
    case "Import":
      return undefined;
    default:
      return { names: [], patterns: [], all: false };
  }
}

const together = (parts: readonly Evaluated[]): Evaluated => ({
  names: parts.flatMap(({ names }) => names),
  patterns: parts.flatMap(({ patterns }) => patterns),
  all: parts.some(({ all }) => all),
});

function onlyNamed(names: readonly string[], patterns: readonly string[], rest: TSchema | boolean): TSchema {
  if (patterns.length === 0) {
    const properties = Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())]));
    return Type.Object(properties, { additionalProperties: rest });
  }
  const literal = names.map((name) => `^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`);
  return {
    type: "object",
    patternProperties: { [[...literal, ...patterns].map((one) => `(?:${one})`).join("|")]: Type.Unknown() },
    additionalProperties: rest,
    [Kind]: "Record",
  } as unknown as TSchema;
}
