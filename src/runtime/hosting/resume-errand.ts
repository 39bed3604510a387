import { isFault } from "#core/bus/outcome.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";
import { resumeRun } from "../axon/resume.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { Errand } from "./host-requests.js";
import type { RunHost } from "./run-host.js";

/**
 * Resumes a run by hand. Its answer comes once the run is claimed, "resumed", or with the reason
 * why it was not.
 */
export function resumeErrand(host: RunHost, axons: readonly AxonDefinition[]): Errand {
  const axonOf = async (id: string): Promise<AxonDefinition | undefined> => {
    const found = await Promise.all(host.stores.map((store: RunStore) => store.unfinished({ id, limit: 1 })));
    const name = found.flat().find((run) => run.id === id)?.axon;
    return axons.find((axon) => axon.name === name);
  };
  return {
    fits: async ({ target }) => (await axonOf(target)) !== undefined,
    run: async ({ target, by: actor, reason }) => {
      const axon = await axonOf(target);
      if (axon === undefined) return { kind: "refused", code: "RUN_UNKNOWN" };
      const intervention = { actor, ...(reason !== undefined && { intent: reason }) };
      return new Promise<Json>((resolve, reject) => {
        const claimed = (): void => resolve({ kind: "resumed" });
        resumeRun(axon, target, { bus: host.resources, by: host, intervention, claimed }).then(
          (outcome) => resolve({ kind: "refused", code: codeOf(outcome) }),
          reject,
        );
      });
    },
  };
}

/** Of a run that was not claimed here. */
const codeOf = (outcome: unknown): string =>
  isFault(outcome) && isRuntimeFault(outcome.error) ? outcome.error.code : "RUN_ENDED";
