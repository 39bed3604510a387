import type { TSchema } from "@sinclair/typebox";
import { templateOf } from "#schema/sample/samples.js";

/** Values that fit their schemas, one for each schema. */
export class Examples {
  readonly #known = new Map<TSchema, unknown>();

  /** Undefined where none is found: of a schema that no check can read, or whose parts contradict each other. */
  of(schema: TSchema): unknown {
    if (!this.#known.has(schema)) this.#known.set(schema, sampleOf(schema));
    return this.#known.get(schema);
  }
}

function sampleOf(schema: TSchema): unknown {
  try {
    return templateOf(schema, "an example");
  } catch {
    // What is not checked as JSON, such as a Date of an output, is documented without an example.
    return undefined;
  }
}
