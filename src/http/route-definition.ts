import type { AxonDefinition } from "#runtime/axon-definition.js";
import type { Part } from "./extractor.js";
import type { Pattern } from "./pattern.js";

/** A route as it was declared. */
export interface RouteDefinition {
  readonly method: string;
  readonly pattern: Pattern;
  readonly axon: AxonDefinition;
  readonly input: Part | undefined;
  /** Largest body in bytes; undefined for the ingress's own limit. */
  readonly bodyLimit: number | undefined;
}

/** For messages: "POST /orders (Axon 'orders')". */
export const describeRoute = ({ method, pattern, axon }: RouteDefinition): string =>
  `${method} ${pattern.text} (Axon '${axon.name}')`;
