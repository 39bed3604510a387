// Hands the stores of an ingress to what it serves: guards, layers, steps, verifiers and event channels.

import type { StoresUser } from "#core/ports/store-set.js";
import { visitAxon } from "#runtime/definition/axon-definition.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { axonsOf } from "../plan/web-socket-definition.js";
import { composed } from "../request/composition.js";

type Served = Pick<
  IngressPlan,
  "stores" | "channels" | "routes" | "fallback" | "navigations" | "guards" | "layers"
>;

/** Before routes are compiled or described. Returns a function that takes them back. Throws CONFIG_INVALID. */
export function useStores(plan: Served): () => void {
  const { stores } = plan;
  if (stores === undefined) return () => {};
  const ends: (() => void)[] = [];
  const end = (): void => {
    for (const each of ends.splice(0)) each();
  };
  try {
    for (const user of usersOf(plan)) ends.push(user.useStores(stores));
  } catch (error) {
    end();
    throw error;
  }
  return end;
}

export function usingStores<T>(plan: Served, use: () => T): T {
  const end = useStores(plan);
  try {
    return use();
  } finally {
    end();
  }
}

/** Each once, in the order of the program: guards without a name are told apart by it. */
function usersOf(plan: Served): ReadonlySet<StoresUser> {
  const found = new Set(plan.channels);
  const add = (part: object): void => {
    if (typeof (part as Partial<StoresUser>).useStores === "function") found.add(part as StoresUser);
  };
  // Those that no route has behind it yet, too: the order must not depend on `without`.
  for (const part of [...plan.guards, ...plan.layers]) add(part);
  const routes = [...plan.routes, plan.fallback, plan.navigations].filter((route) => route !== undefined);
  for (const route of routes)
    for (const axon of [composed(route, plan), ...axonsOf(route.webSocket)])
      visitAxon(axon, {
        axon: ({ layers }) => {
          for (const { layer } of layers) add(layer);
        },
        step: ({ transition, undo }) => {
          add(transition);
          if (undo !== undefined) add(undo.transition);
        },
      });
  return found;
}
