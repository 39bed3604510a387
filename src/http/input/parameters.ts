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
import { kindOf } from "#schema/tree/schema-tree.js";
import { Refusal } from "../refusal/refusal.js";

/** The checked value or a Refusal. */
type Parameters<Raw> = (raw: Raw) => unknown;

/** `place` names the parameters' place in the request, for clients. */
export function compileParameters(schema: TObject, owner: string, place?: string): Parameters<RawParameters> {
  requireObject(schema, owner);
  return checked(schema, compileCoercion(schema), owner, place);
}

/** For nested fields of a form. */
export function compileFields(schema: TObject, owner: string): Parameters<RawTree> {
  requireObject(schema, owner);
  return checked(schema, compileTreeCoercion(schema), owner, "In the form");
}

function checked<Raw>(
  schema: TObject,
  coerce: (raw: Raw) => Coerced,
  owner: string,
  detail: string | undefined,
): Parameters<Raw> {
  const { check, errors } = compileSchema(schema, { owner: `${owner}, parameters`, origin: "json" });
  const where = detail === undefined ? {} : { detail };
  return (raw) => {
    const coerced = coerce(raw);
    if (!coerced.ok) return new Refusal("PARAMETER_INVALID", { ...where, errors: coerced.errors });
    return check(coerced.value)
      ? coerced.value
      : new Refusal("INPUT_INVALID", { ...where, errors: errors(coerced.value) });
  };
}

function requireObject(schema: TSchema, owner: string): void {
  if (kindOf(schema) === "Object") return;
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `${owner}: parameters have names, so their schema must be a Type.Object, not ${kindOf(schema)}; compose others with Type.Composite`,
  );
}
