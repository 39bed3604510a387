// What of a value is written as JSON: the properties that its shape names, and no
// others. For shapes that a compiled serialiser cannot tell apart, and where code
// cannot be generated.
//
//   S1. Of a union, what is written is what the variants name that the value fits; all
//       that any variant names where it fits none. A value is never written whole
//       because it is odd.

import { ANYTHING, either, type Shape } from "./shape.js";

/** What is written of `value`, for JSON.stringify. Throws where a required property is absent. */
export function project(shape: Shape, value: unknown): unknown {
  if (shape.named !== undefined) return project(shape.named(), value);
  if (shape.variants !== undefined) return project(chosen(shape.variants, value), value);
  const read = toJson(value);
  if (Array.isArray(read)) {
    if (shape.tuple !== undefined) return shape.tuple.map((item, i) => project(item, read[i]));
    return shape.items === undefined ? read : read.map((item) => project(shape.items as Shape, item));
  }
  if (shape.type !== "object" || !isObject(read)) return read;
  const absent = shape.required?.find((name) => read[name] === undefined);
  if (absent !== undefined) throw new Error(`"${absent}" is required!`);
  const known = Object.keys(shape.properties ?? {});
  const isOpen = shape.additionalProperties !== undefined || shape.patterns !== undefined;
  const names = isOpen ? Object.keys(read) : known;
  return Object.fromEntries(
    names.flatMap((name) => {
      const inner = propertyOf(shape, name);
      return inner === undefined ? [] : [[name, project(inner, read[name])]];
    }),
  );
}

function chosen(variants: readonly Shape[], value: unknown): Shape {
  const read = toJson(value);
  const fitting = variants.filter((variant) => fits(variant, read));
  const named = (fitting.length > 0 ? fitting : variants).map(resolved);
  // What is no object has no properties to choose among.
  const like = named.filter((shape) => (shape.type === "object") === isObject(read));
  return like.length === 0 ? named.reduce(either) : like.reduce(either);
}

const resolved = (shape: Shape): Shape => (shape.named === undefined ? shape : resolved(shape.named()));

/** Whether a value may be meant by a shape: by its type, its constants, and what has to be there. */
function fits(shape: Shape, value: unknown): boolean {
  if (shape.named !== undefined) return fits(shape.named(), value);
  if (shape.variants !== undefined) return shape.variants.some((variant) => fits(variant, value));
  const read = toJson(value);
  if (read === null) return shape.nullable === true || shape.type === "null" || shape.type === undefined;
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
        Object.entries(shape.properties ?? {}).every(
          ([name, inner]) => read[name] === undefined || fits(inner, read[name]),
        )
      );
    default:
      return typeof read === shape.type && (shape.literal === undefined || shape.literal === read);
  }
}

function propertyOf({ properties, additionalProperties, patterns }: Shape, name: string): Shape | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  const matched = patterns?.find(([pattern]) => pattern.test(name))?.[1];
  return matched ?? (additionalProperties === true ? ANYTHING : additionalProperties);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function toJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}
