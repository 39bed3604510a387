import type { TSchema } from "@sinclair/typebox";

import { Samples } from "#schema/sample/samples.js";
import type { Sample, SamplesPart } from "./parts.js";

const NOTHING_FITS: Sample = {
  sample: null,
  is_valid: false,
  note: "No value was found that fits the schema",
};

/** Values for schemas that routes declare: what is compiled of one is kept as long as the schema is. */
export class SchemaSamples implements SamplesPart {
  readonly #made = new WeakMap<TSchema, Samples>();

  template(schema: TSchema): unknown {
    return this.#of(schema).template();
  }

  sample(schema: TSchema, mode: "random" | "edge", seed: number): Sample {
    const samples = this.#of(schema);
    const edge = mode === "edge" ? samples.edge(seed) : undefined;
    if (edge !== undefined) return { sample: edge.value, is_valid: edge.isValid, note: edge.note };
    const sample = samples.random(seed);
    return sample === undefined ? NOTHING_FITS : { sample, is_valid: true, note: null };
  }

  #of(schema: TSchema): Samples {
    let samples = this.#made.get(schema);
    if (samples === undefined) {
      samples = new Samples(schema, "A route's input");
      this.#made.set(schema, samples);
    }
    return samples;
  }
}
