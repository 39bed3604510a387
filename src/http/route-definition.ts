import type { TSchema } from "@sinclair/typebox";

import type { AnyGuard } from "#core/guard.js";
import type { AnyLayer } from "#core/layer.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import type { Part } from "./extractor.js";
import type { FaultMapper } from "./on-fault.js";
import type { Pattern } from "./pattern.js";
import type { WebSocketDefinition } from "./websocket/flow.js";

/** What a group says of guards, or a route itself. */
interface FrontGuards {
  readonly guards: readonly AnyGuard[];
  /** Names of guards further out that do not stand before it. */
  readonly without: readonly string[];
}

/** A route as it was declared. */
export interface RouteDefinition {
  readonly method: string;
  readonly pattern: Pattern;
  readonly axon: AxonDefinition;
  readonly input: Part | undefined;
  /** Largest body in bytes; undefined for the ingress's own limit. */
  readonly bodyLimit: number | undefined;
  /** What its faults answer, where it says so. */
  readonly onFault: FaultMapper | undefined;
  /** In milliseconds; undefined for the ingress's own limit. */
  readonly timeoutMs: number | undefined;
  /** Whether its answers may be compressed. */
  readonly compress: boolean;
  /** Its groups' and its own, behind those of the ingress. */
  readonly layers: readonly AnyLayer[];
  /** The same of guards, the outermost first. */
  readonly fronts: readonly FrontGuards[];
  /** Whether it tells how the ingress is: no guard or layer of the ingress stands before it. */
  readonly isProbe: boolean;
  readonly summary: string | undefined;
  readonly tags: readonly string[];
  /** What it answers beside its output, by status. */
  readonly responseSchemas: Readonly<Record<number, TSchema>>;
  /** What happens on connections that it opens; undefined where it opens none. */
  readonly webSocket: WebSocketDefinition | undefined;
  /** Which of the engine's behaviours they have; -1 where it opens none. */
  readonly behaviour: number;
}

/** For messages: "POST /orders (Axon 'orders')". */
export const describeRoute = ({
  method,
  pattern,
  axon,
}: Pick<RouteDefinition, "method" | "pattern" | "axon">): string =>
  `${method} ${pattern.text} (Axon '${axon.name}')`;
