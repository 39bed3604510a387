import type { IngressPlan } from "#http/plan/ingress-plan.js";
import type { RouteDefinition } from "#http/plan/route-definition.js";
import { Refusal } from "#http/refusal/refusal.js";
import { Router } from "#http/routing/router.js";
import type { Budget } from "#runtime/definition/axon-definition.js";
import type { Benchmark } from "./declared.js";
import { tinybench } from "./tinybench.js";

/** A benchmark as the command knows it, which does not import the file. */
export interface Listed {
  readonly kind: Benchmark["kind"];
  readonly name: string;
  readonly budget: Budget | undefined;
}

export interface Listing {
  readonly benchmarks: readonly Listed[];
  /** "POST /orders"; empty where no route is measured. */
  readonly routes: readonly string[];
}

/** `plan` is asked for where a route is measured. Throws CONFIG_INVALID where tinybench is missing. */
export async function listed(
  benchmarks: readonly Benchmark[],
  plan: () => Promise<IngressPlan>,
): Promise<Listing> {
  if (benchmarks.some(({ kind }) => kind !== "route")) await tinybench();
  if (!benchmarks.some(({ kind }) => kind === "route"))
    return { benchmarks: benchmarks.map((one) => ({ ...nameOf(one), budget: budgetOf(one) })), routes: [] };
  const { routes, trailingSlash = "strict" } = await plan();
  const router = new Router<RouteDefinition>({ trailingSlash });
  for (const route of routes) router.add(route);
  router.followGet(routes);
  return {
    benchmarks: benchmarks.map((one) => ({ ...nameOf(one), budget: budgetOf(one, router) })),
    routes: routes.map(({ method, pattern }) => `${method} ${pattern.text}`),
  };
}

const nameOf = ({ kind, name }: Benchmark): Pick<Listed, "kind" | "name"> => ({ kind, name });

function budgetOf(benchmark: Benchmark, router?: Router<RouteDefinition>): Budget | undefined {
  if (benchmark.kind !== "route") return benchmark.budget;
  const { method, target } = benchmark;
  const [path = "/"] = target.split("?", 1);
  const route = router?.find({ method, path, segments: [] });
  // One that no route serves may be served otherwise: its response tells.
  return route === undefined || route instanceof Refusal ? undefined : route.axon.budget;
}
