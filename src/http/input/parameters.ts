import type { TObject, TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import {
  type Coerced,
  compileCoercion,
  compileTreeCoercion,
  type RawParameters,
  type RawTree,
} from "#schema/compile/coercion.js";
import { compileSchema } from "#schema/compile/validator.js";
import { kindOf, mapSchema } from "#schema/tree/schema-tree.js";
import { Refusal } from "../refusal/refusal.js";

/** The checked value or a Refusal. */
type Parameters<Raw> = (raw: Raw) => unknown;

/** `place` names the parameters' place in the request, for clients. */
export function compileParameters(schema: TObject, owner: string, place?: string): Parameters<RawParameters> {
  requireObject(schema, owner);
  const exact = withExactIntegers(schema);
  return checked(exact, compileCoercion(exact), owner, place);
}

/** For nested fields of a form. */
export function compileFields(schema: TObject, owner: string): Parameters<RawTree> {
  requireObject(schema, owner);
  const exact = withExactIntegers(schema);
  return checked(exact, compileTreeCoercion(exact), owner, "In the form", (raw) => ({ parsed: raw }));
}

function checked<Raw>(
  schema: TObject,
  coerce: (raw: Raw) => Coerced,
  owner: string,
  detail: string | undefined,
  parsedOf: (raw: Raw) => { readonly parsed?: Raw } = () => ({}),
): Parameters<Raw> {
  const { check, errors } = compileSchema(schema, { owner: `${owner}, parameters`, origin: "json" });
  const where = detail === undefined ? {} : { detail };
  return (raw) => {
    const coerced = coerce(raw);
    if (!coerced.ok)
      return new Refusal("PARAMETER_INVALID", { ...where, ...parsedOf(raw), errors: coerced.errors });
    return check(coerced.value)
      ? coerced.value
      : new Refusal("INPUT_INVALID", { ...where, ...parsedOf(raw), errors: errors(coerced.value) });
  };
}

const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number;

/** Refuses integers that a number cannot hold: it would be another one, such as the id of another order. */
const withExactIntegers = (schema: TObject): TObject =>
  mapSchema(schema, (part) =>
    kindOf(part) !== "Integer"
      ? part
      : Object.assign(part, {
          minimum: Math.max(part["minimum"] ?? MIN_SAFE_INTEGER, MIN_SAFE_INTEGER),
          maximum: Math.min(part["maximum"] ?? MAX_SAFE_INTEGER, MAX_SAFE_INTEGER),
        }),
  ) as TObject;

function requireObject(schema: TSchema, owner: string): void {
  if (kindOf(schema) === "Object") return;
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `${owner}: parameters have names, so their schema must be a Type.Object, not ${kindOf(schema)}; compose others with Type.Composite`,
  );
}
