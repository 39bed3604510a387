// What operators ask of dead letters by requests to hosts.

import type { Bus } from "#core/bus/bus.js";
import type { HostRequest } from "#core/ports/host-requests.js";
import type { Json } from "#core/wire/json-text.js";
import { type Discarding, discardLetter } from "../axon/letter-discard.js";
import { redriveOn } from "../axon/redrive.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { Intervention } from "../run/intervention.js";
import type { Errand } from "./host-requests.js";

interface LetterErrandsOptions extends Discarding {
  readonly axons: readonly AxonDefinition[];
  /** Of a run that begins here without a request. */
  readonly bus: () => Bus;
}

export function letterErrands(of: LetterErrandsOptions): readonly (readonly [string, Errand])[] {
  const { letters, axons } = of;
  const axonOf = async (id: string): Promise<{ readonly axon: AxonDefinition | undefined } | undefined> => {
    const letter = await letters.get(id);
    return letter && { axon: axons.find(({ name }) => name === letter.axon) };
  };
  const redrive: Errand = {
    fits: async ({ target }, isLeft) => {
      const letter = await axonOf(target);
      return letter === undefined ? isLeft : letter.axon !== undefined;
    },
    run: async (request) => {
      const { axon } = (await axonOf(request.target)) ?? {};
      return axon === undefined ? { kind: "refused", code: "unknown" } : redriven(of, axon, request);
    },
  };
  const discard: Errand = {
    // A host that has its Axon records it in the audit log of that.
    fits: async ({ target }, isLeft) => (await axonOf(target))?.axon !== undefined || isLeft,
    run: async (request) => {
      const { axon } = (await axonOf(request.target)) ?? {};
      const kind = await discardLetter(of, request.target, axon, byOf(request));
      return kind === "discarded" ? { kind } : { kind: "refused", code: kind };
    },
  };
  return [
    ["redrive", redrive],
    ["discard", discard],
  ];
}

/** Its answer comes once the run has begun, "begun", or with the kind of result of one that has not. */
const redriven = (
  { letters, bus }: LetterErrandsOptions,
  axon: AxonDefinition,
  request: HostRequest,
): Promise<Json> =>
  new Promise((resolve, reject) => {
    const begun = (): void => resolve({ kind: "begun" });
    redriveOn(letters, request.target, axon, bus(), byOf(request), {}, begun).then((result) => {
      const { kind } = result;
      if (kind === "done" || kind === "failed") return begun();
      const detail =
        kind === "would_skip" ? result.reason : kind === "incomplete" ? result.lost.join(", ") : undefined;
      resolve({ kind: "refused", code: kind, ...(detail !== undefined && { detail }) });
    }, reject);
  });

const byOf = ({ by: actor, reason }: HostRequest): Intervention => ({
  actor,
  ...(reason !== undefined && { intent: reason }),
});
