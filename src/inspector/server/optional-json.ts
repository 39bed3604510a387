import type { Static, TSchema } from "@sinclair/typebox";

import { type Fault, fault } from "#core/bus/outcome.js";
import { parseJson } from "#http/input/json-body.js";
import { Refusal } from "#http/refusal/refusal.js";
import { compileSchema } from "#schema/compile/validator.js";

/** Reads an optional body as a JSON object. A missing body is an empty object. */
export function optionalJson<S extends TSchema>(
  schema: S,
  owner: string,
): (body: Uint8Array) => Static<S> | Fault<Refusal> {
  const { check, errors } = compileSchema(schema, { owner, origin: "json" });
  return (body) => {
    if (body.length === 0) return {} as Static<S>;
    const value = parseJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
    if (value instanceof Refusal) return fault(value);
    return check(value)
      ? (value as Static<S>)
      : fault(new Refusal("INPUT_INVALID", { errors: errors(value) }));
  };
}
