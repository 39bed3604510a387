// What of a value is written as JSON: the properties that its shape names, and no
// others. For shapes that a compiled serialiser cannot tell apart, and where code
// cannot be generated.
//
//   S1. Of a union, what is written is what the variants name that the value fits; all
//       that any variant names where it fits none. A value is never written whole
//       because it is odd.
//   S2. An object or an array in the place of something else is an error. A number, a
//       boolean, a string or null is written as the compiled serialiser writes it there.

import { ANYTHING, either, type Leaf, leavesOf, propertyOf, type Shape } from "./shape.js";

/** What is written of `value`, for JSON.stringify. Throws where it cannot be what the shape says; `name` is its property's. */
export function project(shape: Shape, value: unknown, name = ""): unknown {
  if (shape.named !== undefined) return project(shape.named(), value, name);
  const read = toJson(value);
  if (shape.variants !== undefined) {
    return read === null ? null : project(chosen(shape.variants, read, name), read, name);
  }
  if (shape.leaves !== undefined) return oneOf(shape.leaves, read, name);
  switch (shape.type) {
    case undefined:
      return read;
    case "array":
      return list(shape, read, name);
    case "object":
      return object(shape, read, name);
    default:
      return leaf(shape.type, shape.nullable === true, read, name);
  }
}

/** The items of a value that belongs in the place of a list. Throws where it is none. */
export const listed = (value: unknown, name = ""): readonly unknown[] => {
  const read = toJson(value);
  if (read === null) return [];
  if (!Array.isArray(read)) throw odd(name, "an array");
  return read;
};

function list(shape: Shape, value: unknown, name: string): unknown {
  if (value === null && shape.nullable === true) return null;
  const read = listed(value, name);
  const { tuple = [], items } = shape;
  const written = items === undefined ? read.slice(0, tuple.length) : read;
  return written.map((item, i) => project(tuple[i] ?? items ?? ANYTHING, item, name));
}

function object(shape: Shape, read: unknown, name: string): unknown {
  if (read === null) return shape.nullable === true ? null : {};
  if (!isObject(read)) throw odd(name, "an object");
  const absent = shape.required?.find((required) => read[required] === undefined);
  if (absent !== undefined) throw new Error(`"${absent}" is required!`);
  const isOpen = shape.additionalProperties !== undefined || shape.patterns !== undefined;
  const names = Object.keys((isOpen ? read : shape.properties) ?? {});
  return Object.fromEntries(
    names.flatMap((key) => {
      const inner = read[key] === undefined ? undefined : propertyOf(shape, key);
      return inner === undefined ? [] : [[key, project(inner, read[key], key)]];
    }),
  );
}

/** What is written where a text, a number or a boolean belongs. Throws for an object, an array or a function. */
export const scalar = (type: Leaf, value: unknown): unknown => leaf(type, false, toJson(value), "");

/** As fast-json-stringify writes it, but for objects and arrays. */
function leaf(type: Leaf, isNullable: boolean, read: unknown, name: string): unknown {
  if (type === "null" || (read === null && isNullable)) return null;
  if (read !== null && !isScalar(read)) throw odd(name, `a ${type}`);
  switch (type) {
    case "string":
      return read === null ? "" : String(read);
    case "boolean":
      return Boolean(read);
    case "number": {
      const number = Number(read);
      if (Number.isNaN(number)) throw odd(name, "a number");
      return number;
    }
  }
}

function oneOf(leaves: readonly Leaf[], read: unknown, name: string): unknown {
  if (read === null) return null;
  const type = leaves.find((candidate) => candidate === typeof read);
  if (type === undefined) throw odd(name, leaves.join(" or "));
  return leaf(type, false, read, name);
}

// The value itself may be what nobody should read: it is not in the message.
const odd = (name: string, wanted: string): Error =>
  new Error(`${name === "" ? "The value" : `"${name}"`} must be ${wanted} to be written`);

function chosen(variants: readonly Shape[], read: unknown, name: string): Shape {
  const all = variants.flatMap(optionsOf);
  const fitting = all.filter((shape) => fits(shape, read));
  const meant = fitting.length > 0 ? fitting : all;
  // Only a list has items to choose among, only an object properties.
  const like = meant.filter((shape) => kindOf(shape) === kindOfValue(read));
  if (like.length > 0) return like.reduce(either);
  if (fitting.length > 0) return ANYTHING;
  throw odd(name, "one of its union");
}

function optionsOf(shape: Shape): readonly Shape[] {
  if (shape.named !== undefined) return optionsOf(shape.named());
  return shape.variants?.flatMap(optionsOf) ?? [shape];
}

type Kind = "leaf" | "object" | "array";

const kindOf = (shape: Shape): Kind | undefined =>
  leavesOf(shape) === undefined ? (shape.type as "object" | "array" | undefined) : "leaf";

function kindOfValue(read: unknown): Kind {
  if (Array.isArray(read)) return "array";
  return isObject(read) ? "object" : "leaf";
}

/** Whether a value may be meant by a shape: by its type, its constants, and what has to be there. */
function fits(shape: Shape, value: unknown): boolean {
  if (shape.named !== undefined) return fits(shape.named(), value);
  if (shape.variants !== undefined) return shape.variants.some((variant) => fits(variant, value));
  const read = toJson(value);
  const leaves = leavesOf(shape);
  if (read === null) {
    return (
      shape.nullable === true || (leaves === undefined ? shape.type === undefined : leaves.includes("null"))
    );
  }
  if (shape.leaves !== undefined) return shape.leaves.some((leaf) => leaf === typeof read);
  switch (shape.type) {
    case undefined:
      return true;
    case "array":
      return (
        Array.isArray(read) &&
        (shape.tuple === undefined
          ? read.every((item) => fits(shape.items ?? ANYTHING, item))
          : shape.tuple.every((item, i) => fits(item, read[i])))
      );
    case "object":
      return (
        isObject(read) &&
        (shape.required ?? []).every((name) => read[name] !== undefined) &&
        Object.entries(read).every(([name, value]) => {
          const inner = value === undefined ? undefined : propertyOf(shape, name);
          return inner === undefined || fits(inner, value);
        })
      );
    default:
      return typeof read === shape.type && (shape.literal === undefined || shape.literal === read);
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isScalar = (value: unknown): boolean =>
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  typeof value === "bigint";

function toJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}
