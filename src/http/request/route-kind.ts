import type { Program } from "#runtime/compile/program.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import type { CircuitContext } from "./circuit-context.js";

/** A unit with separate runs: a route, or the messages of a route's connections. */
export interface RunningCircuit {
  readonly name: string;
  readonly program: Program;
  /** Number of runs awaiting a promise. */
  readonly waiting: number;
  /** A line for each key without a provider. */
  readonly missing: readonly string[];
  /** A line for each key that a resumed run would lack. */
  readonly unkept: readonly string[];
}

/** A kind of route other than plain requests, such as WebSocket, in a serving ingress. */
export interface RouteKind {
  /** The route to serve in place of a route of this kind; undefined for other routes. */
  mounted(route: RouteDefinition, context: CircuitContext): RouteDefinition | undefined;
  /** Circuits that no request runs. */
  readonly circuits: readonly RunningCircuit[];
}
