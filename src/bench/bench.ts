import { invalidOption } from "#core/invalid-option.js";
import type { Executable, ExecuteArgs, InOf, NeedsOf } from "#runtime/axon/axon-flow.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { type BenchRequest, requireRequest, routeOf } from "./bench-request.js";
import { declare } from "./declared.js";

/** `bench(name, ...)` and `bench.route(...)`. */
export interface Bench {
  /** Measures runs of an Axon, with what its `execute` takes. A run that ends with a fault is refused. */
  <A extends AnyAxon>(name: string, axon: A & Executable<A>, ...args: ExecuteArgs<InOf<A>, NeedsOf<A>>): void;
  /** Measures calls of a function, or what it returns a promise of. */
  (name: string, run: () => unknown): void;
  /**
   * Measures requests to a route of the ingress that the file exports, as "GET /products/tea". A
   * response of 400 or above is refused.
   */
  route(route: string, request?: BenchRequest): void;
}

function declareRun(name: string, subject: AnyAxon | (() => unknown), ...args: readonly unknown[]): void {
  if (typeof name !== "string" || name.trim() === "")
    throw invalidOption("bench()", "its first argument is the name of the benchmark");
  if (typeof subject === "function") {
    if (args.length > 0)
      throw invalidOption(
        `bench('${name}')`,
        "a function takes nothing: call it with its arguments in another, () => price(order)",
      );
    declare({ kind: "function", name, run: subject, budget: undefined });
    return;
  }
  if (typeof (subject as Partial<AnyAxon> | null)?.execute !== "function")
    throw invalidOption(`bench('${name}')`, "give an Axon and its input, or a function without parameters");
  const [input, bus] = args;
  const run = (): unknown => subject.execute(input, bus as never);
  declare({ kind: "axon", name, run, budget: subject.definition.budget });
}

/** Declares a benchmark of `framework bench`. Nothing runs before that. */
export const bench: Bench = Object.assign(declareRun as Bench, {
  route(route: string, request: BenchRequest = {}): void {
    declare({ kind: "route", name: route, ...routeOf(route), request: requireRequest(route, request) });
  },
});
