import type { DeadLetterStore } from "#core/ports/dead-letter.js";
import type { Json } from "#core/wire/json-text.js";
import { redriveOn } from "../axon/redrive.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { Errand } from "./host-requests.js";
import type { RunHost } from "./run-host.js";

/**
 * Re-drives a dead letter. Its answer comes once the run has begun, "begun", or with the kind of
 * result of one that has not.
 */
export function redriveErrand(
  host: RunHost,
  axons: readonly AxonDefinition[],
  letters: DeadLetterStore,
): Errand {
  const axonOf = async (id: string): Promise<AxonDefinition | undefined> => {
    const letter = await letters.get(id);
    return axons.find(({ name }) => name === letter?.axon);
  };
  return {
    fits: async ({ target }) => (await axonOf(target)) !== undefined,
    run: async ({ target, by: actor, reason }) => {
      const axon = await axonOf(target);
      if (axon === undefined) return { kind: "refused", code: "unknown" };
      const by = { actor, ...(reason !== undefined && { intent: reason }) };
      return new Promise<Json>((resolve, reject) => {
        const begun = (): void => resolve({ kind: "begun" });
        redriveOn(letters, target, axon, host.resources, by, {}, begun).then(
          ({ kind }) =>
            resolve(
              kind === "done" || kind === "failed" ? { kind: "begun" } : { kind: "refused", code: kind },
            ),
          reject,
        );
      });
    },
  };
}
