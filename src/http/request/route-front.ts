// Describes the front of a route from the declarations of guards, layers and steps: the request
// headers it reads beside its input, the response headers it adds, and its policies.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { AnyGuard, Credential } from "#core/flow/guard.js";
import { type AxonDefinition, visitAxon } from "#runtime/definition/axon-definition.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { Admission, HeadInput } from "../plan/route-info.js";

const IN_HEAD = /^(?:(header)|(?:signed |encrypted )?cookie):(.+)$/s;

export function headInputs(axon: AxonDefinition): readonly HeadInput[] {
  const found = new Map<string, HeadInput>();
  const add = (keys: readonly AnyKey[] = [], required: boolean): void => {
    for (const { name: key } of keys) {
      const [, header, name] = IN_HEAD.exec(key) ?? [];
      if (name === undefined) continue;
      const place = header === undefined ? "cookie" : "header";
      const id = `${place}:${name}`;
      found.set(id, { in: place, name, required: required || found.get(id)?.required === true });
    }
  };
  for (const { layer } of axon.layers) {
    add(layer.reads, true);
    add(layer.mayRead, false);
  }
  visitAxon(axon, {
    step({ transition }) {
      add(transition.reads, true);
      add(transition.mayRead, false);
    },
  });
  return [...found.values()];
}

/** Names, in lower case, of headers that guards and steps write, and of guards' constant headers. */
export function headOutputs(axon: AxonDefinition, { requestIds }: Pick<IngressPlan, "requestIds">) {
  const names = new Set<string>(requestIds ? ["x-request-id"] : []);
  visitAxon(axon, {
    step({ transition }) {
      const { responseHeaders, idempotency } = transition as AnyGuard;
      const { written = [], always = {} } = responseHeaders ?? {};
      if (written.length > 0) for (const name of Object.keys(always)) names.add(name.toLowerCase());
      for (const { name } of written) names.add(name.toLowerCase());
      if (idempotency !== undefined) names.add("idempotent-replayed");
    },
  });
  return [...names].sort();
}

export function admissions(axon: AxonDefinition): readonly Admission[] {
  let credential: Credential | undefined;
  const found: Admission[] = [];
  visitAxon(axon, {
    step({ transition }) {
      const { admits, credential: read } = transition as AnyGuard;
      credential = read ?? credential;
      if (admits !== undefined) found.push({ policy: admits, credential });
    },
  });
  return found;
}
