import type { Static, TSchema } from "@sinclair/typebox";

import { type Fault, fault } from "#core/bus/outcome.js";
import { parseJson } from "#http/input/json-body.js";
import { Refusal } from "#http/refusal/refusal.js";
import { compileSchema } from "#schema/compile/validator.js";
import type { ById } from "./trace-endpoints.js";

interface Raw {
  readonly of: ById;
  readonly body: Uint8Array;
}

/** Reads an optional body as a JSON object. A missing body is an empty object. */
export function optionalJson<S extends TSchema>(
  schema: S,
  owner: string,
): (raw: Raw) => { readonly of: ById; readonly request: Static<S> } | Fault<Refusal> {
  const { check, errors } = compileSchema(schema, { owner, origin: "json" });
  const read = (body: Uint8Array): unknown =>
    body.length === 0 ? {} : parseJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  return ({ of, body }) => {
    const request = read(body);
    if (request instanceof Refusal) return fault(request);
    return check(request)
      ? { of, request: request as Static<S> }
      : fault(new Refusal("INPUT_INVALID", { errors: errors(request) }));
  };
}
