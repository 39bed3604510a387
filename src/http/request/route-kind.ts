import type { Program } from "#runtime/compile/program.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import type { CircuitContext } from "./circuit-context.js";

/** What a run of its own belongs to: a route, or the messages of a route's connections. */
export interface RunningCircuit {
  readonly name: string;
  readonly program: Program;
  /** Number of runs that wait. */
  readonly waiting: number;
  /** A line for each key without a provider. */
  readonly missing: readonly string[];
  /** A line for each key that a resumed run would miss. */
  readonly unkept: readonly string[];
}

/** A kind of route beside plain requests, such as WebSocket, while an ingress serves. */
export interface RouteKind {
  /** The route that is served in place of one of this kind; undefined for every other route. */
  mounted(route: RouteDefinition, context: CircuitContext): RouteDefinition | undefined;
  /** Those that no request runs. */
  readonly circuits: readonly RunningCircuit[];
}
