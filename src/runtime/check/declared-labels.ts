import { type AxonDefinition, visitAxon } from "../definition/axon-definition.js";
import {
  type DeclaredLabels,
  invalid,
  type RunLabel,
  requireFew,
  undeclared,
} from "../definition/run-label.js";

/**
 * The labels of a program: those of the Axon and of all Axons inside. Throws LABEL_UNDECLARED if a
 * step sets another one, LABEL_SCHEMA_INVALID if two schemas differ or there are too many.
 */
export function labelsOf(axon: AxonDefinition): DeclaredLabels {
  const labels = new Map<string, RunLabel>();
  visitAxon(axon, {
    axon({ name: inner, runLabels }) {
      for (const [name, label] of runLabels) {
        const { schema } = labels.get(name) ?? label;
        if (JSON.stringify(schema) !== JSON.stringify(label.schema))
          throw invalid(
            `Axon '${axon.name}', label '${name}' of '${inner}'`,
            "another Axon of the same run declares it by another schema: give both the same one",
          );
        labels.set(name, label);
      }
    },
  });
  requireFew(`Axon '${axon.name}' with the Axons inside`, labels);
  visitAxon(axon, {
    step({ transition: { name: step, labels: set = [] } }) {
      const unknown = set.find((name) => !labels.has(name));
      if (unknown !== undefined) throw undeclared(`Step '${step}' of Axon '${axon.name}'`, unknown);
    },
  });
  return { axon: axon.name, labels };
}
