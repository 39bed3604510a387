// Selects the parts of a value that are serialised: the properties that its shape names. It handles
// values that generated code (json-code.ts) gives up on, shapes with variants, and processes
// without code generation. A value that does not match its shape throws Unwritable with its place.

import {
  isWrittenByMembers,
  kindOf as kindOfValue,
  pointerTo,
  requireWritable,
  toJson,
  Unwritable,
} from "../tree/json-value.js";
import { ANYTHING, either, type Leaf, leavesOf, propertyOf, type Shape } from "./shape.js";

/** The part of `value` to pass to JSON.stringify. Throws Unwritable. */
export function projected(shape: Shape, value: unknown): unknown {
  try {
    return project(shape, value, "");
  } finally {
    verdicts.clear();
  }
}

function project(shape: Shape, value: unknown, at: string): unknown {
  if (shape.named !== undefined) return project(shape.named(), value, at);
  const read = toJson(value);
  if (shape.variants !== undefined) return project(chosen(shape.variants, read, at), read, at);
  const leaves = leavesOf(shape);
  if (leaves !== undefined) return leaf(leaves, read, at);
  if (read === null && shape.nullable === true) return null;
  switch (shape.type) {
    case "array":
      return list(shape, read, at);
    case "object":
      return object(shape, read, at);
    default:
      requireWritable(read, at);
      if (read === undefined) throw odd(at, "there", read);
      return read;
  }
}

function list({ tuple = [], items }: Shape, read: unknown, at: string): unknown {
  if (!Array.isArray(read)) throw odd(at, "an array", read);
  const written = items === undefined ? read.slice(0, tuple.length) : read;
  return Array.from(written, (item, n) => project(tuple[n] ?? items ?? ANYTHING, item, `${at}/${n}`));
}

function object(shape: Shape, read: unknown, at: string): unknown {
  if (!isObject(read)) throw odd(at, "an object", read);
  const absent = shape.required?.find((name) => member(read, name) === undefined);
  if (absent !== undefined) throw new Unwritable(pointerTo(at, absent), "is required, and is not there");
  const isOpen = shape.additionalProperties !== undefined || shape.patterns !== undefined;
  const names = new Set([...Object.keys(shape.properties ?? {}), ...(isOpen ? Object.keys(read) : [])]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = member(read, name);
      const inner = value === undefined ? undefined : propertyOf(shape, name);
      return inner === undefined ? [] : [[name, project(inner, value, pointerTo(at, name))]];
    }),
  );
}

/** Reads a member, also of a class's prototype, but not of Object.prototype. */
const member = (read: Readonly<Record<string, unknown>>, name: string): unknown =>
  name in Object.prototype && !Object.hasOwn(read, name) ? undefined : read[name];

function leaf(leaves: readonly Leaf[], read: unknown, at: string): unknown {
  // A step without a result returns undefined, which is serialised as null.
  if (read === undefined && leaves.length === 1 && leaves[0] === "null") return null;
  const type = read === null ? "null" : typeof read;
  const isOne = leaves.includes(type as Leaf) && (type !== "number" || Number.isFinite(read));
  if (!isOne) throw odd(at, leaves.map((one) => (one === "null" ? one : `a ${one}`)).join(" or "), read);
  return read;
}

const odd = (at: string, wanted: string, read: unknown): Unwritable =>
  new Unwritable(
    at,
    `must be ${wanted} to be written, and is ${typeof read === "number" && !Number.isFinite(read) ? read : kindOfValue(read)}`,
  );

function chosen(variants: readonly Shape[], read: unknown, at: string): Shape {
  const fitting = variants.flatMap(optionsOf).filter((shape) => fits(shape, read));
  if (fitting.length === 0) throw odd(at, "one of its union", read);
  // Only lists have items to choose by, and only objects have properties.
  const like = fitting.filter((shape) => kindOf(shape) === kindOfRead(read));
  return like.length > 0 ? like.reduce(either) : ANYTHING;
}

function optionsOf(shape: Shape): readonly Shape[] {
  if (shape.named !== undefined) return optionsOf(shape.named());
  return shape.variants?.flatMap(optionsOf) ?? [shape];
}

type Kind = "leaf" | "object" | "array";

const kindOf = (shape: Shape): Kind | undefined =>
  leavesOf(shape) === undefined ? (shape.type as "object" | "array" | undefined) : "leaf";

function kindOfRead(read: unknown): Kind {
  if (Array.isArray(read)) return "array";
  return isObject(read) ? "object" : "leaf";
}

/** Cached verdicts of the current value, by named shape: variants test the values below them repeatedly. */
const verdicts = new Map<Shape, Map<unknown, boolean>>();

function fitsNamed(shape: Shape, value: unknown): boolean {
  const of = verdicts.get(shape) ?? new Map<unknown, boolean>();
  verdicts.set(shape, of);
  const known = of.get(value);
  if (known !== undefined) return known;
  const verdict = fits(shape, value);
  of.set(value, verdict);
  return verdict;
}

/** True if a shape may describe a value, by its type, its constants and its required properties. */
function fits(shape: Shape, value: unknown): boolean {
  if (shape.named !== undefined) return fitsNamed(shape.named(), value);
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
        (shape.required ?? []).every((name) => member(read, name) !== undefined) &&
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
  typeof value === "object" && value !== null && !Array.isArray(value) && isWrittenByMembers(value);
