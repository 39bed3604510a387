import type { Static, TSchema } from "@sinclair/typebox";

import type { Fault } from "#core/outcome.js";
import { compileSchema, type Validator } from "#schema/validator.js";
import { type NodeFault, nodeFault } from "./node-fault.js";

/** Lets values pass that fit the schema; behind it they have its type. For values that come from within: a service, a file. */
export class SchemaValidator<const S extends TSchema> {
  readonly name = "SchemaValidator";
  readonly output: S;
  readonly #validator: Validator;

  /** Throws SCHEMA_INVALID or SCHEMA_UNSUPPORTED where the schema cannot be checked. */
  constructor(schema: S) {
    this.output = schema;
    this.#validator = compileSchema(schema, { owner: "SchemaValidator", origin: "program" });
  }

  run(input: unknown): Static<S> | Fault<NodeFault<"SCHEMA_MISMATCH">> {
    if (this.#validator.check(input)) return input as Static<S>;
    return nodeFault("SCHEMA_MISMATCH", { errors: this.#validator.errors(input) });
  }
}
