import type { TSchema } from "@sinclair/typebox";
import type { Fault } from "#core/bus/outcome.js";
import { FrameworkError } from "#core/errors.js";
import { Samples } from "#schema/sample/samples.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { Sample, SamplesPart } from "./parts.js";

const IMPOSSIBLE = inspectorFault("SAMPLE_IMPOSSIBLE");

/** Samples of the routes' schemas. Compiled samples are cached for as long as their schema exists. */
export class SchemaSamples implements SamplesPart {
  readonly #made = new WeakMap<TSchema, Samples>();

  template(schema: TSchema): { readonly template: unknown } | Fault<InspectorFault> {
    return this.#drawn(schema, (samples) => {
      const template = samples.template();
      return template === undefined ? IMPOSSIBLE : { template };
    });
  }

  sample(schema: TSchema, mode: "random" | "edge", seed: number): Sample | Fault<InspectorFault> {
    return this.#drawn(schema, (samples) => {
      if (mode === "edge") {
        const edge = samples.edge(seed);
        return edge === undefined
          ? IMPOSSIBLE
          : { sample: edge.value, is_valid: edge.isValid, note: edge.note };
      }
      const sample = samples.random(seed);
      return sample === undefined ? IMPOSSIBLE : { sample, is_valid: true, note: null };
    });
  }

  #drawn<T>(schema: TSchema, draw: (samples: Samples) => T): T | Fault<InspectorFault> {
    try {
      return draw(this.#of(schema));
    } catch (error) {
      // A schema without a JSON form, such as Date, has no samples.
      if (!(error instanceof FrameworkError)) throw error;
      return inspectorFault("SAMPLE_IMPOSSIBLE", { detail: error.message });
    }
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
