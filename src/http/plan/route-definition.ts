import type { TSchema } from "@sinclair/typebox";

import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { ProblemDetail } from "#core/bus/problem-detail.js";
import type { Reply } from "#core/bus/reply.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { Part } from "../input/extractor.js";
import type { Pattern } from "../routing/pattern.js";
import type { WebSocketDefinition } from "./web-socket-definition.js";

/** The result of `onFault`; undefined if it does not map the fault. */
export type FaultReply = ProblemDetail | Reply<unknown> | undefined;

export type FaultMapper = (error: unknown) => FaultReply;

interface FrontGuards {
  readonly guards: readonly AnyGuard[];
  /** Names of outer guards to leave out. */
  readonly without: readonly string[];
}

/** A stream of events. */
export interface EventsDefinition {
  /** Schema of an event's data; undefined for any data, or if the channel decides. */
  readonly schema: TSchema | undefined;
}

/** A mounted Axon whose output is events. */
export interface EventMount {
  readonly name: string;
  readonly definition: AxonDefinition;
  readonly events: EventsDefinition;
}

export interface RouteDefinition {
  readonly method: string;
  readonly pattern: Pattern;
  readonly axon: AxonDefinition;
  readonly input: Part | undefined;
  /** If undefined, the ingress's limit. */
  readonly bodyLimit: number | undefined;
  readonly onFault: FaultMapper | undefined;
  /** If undefined, the ingress's limit. */
  readonly timeoutMs: number | undefined;
  readonly compress: boolean;
  readonly detached: boolean;
  /** Layers of its groups and its own. */
  readonly layers: readonly AnyLayer[];
  /** Fronts, the outermost first. */
  readonly fronts: readonly FrontGuards[];
  /** True for a probe, which has no guards and layers of the ingress. */
  readonly isProbe: boolean;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** True if documentation omits the route. */
  readonly internal: boolean;
  /** Responses beside those that its steps, guards and layers declare. */
  readonly responses: readonly DeclaredResponse[];
  /** Schemas of bodies by status. */
  readonly responseSchemas: Readonly<Record<number, TSchema>>;
  readonly webSocket: WebSocketDefinition | undefined;
  readonly events: EventsDefinition | undefined;
  /** Index of the engine's WebSocket behaviour; -1 for none. */
  readonly behaviour: number;
}

/** "POST /orders (Axon 'orders')". */
export const describeRoute = ({
  method,
  pattern,
  axon,
}: Pick<RouteDefinition, "method" | "pattern" | "axon">): string =>
  `${method} ${pattern.text} (Axon '${axon.name}')`;

interface Mounted {
  readonly method: string;
  readonly pattern: Pattern;
  /** A line for each key without a provider, starting with its name in quotes. */
  readonly missing: readonly string[];
}

export function missingOn({ method, pattern: { text, names }, missing }: Mounted): readonly string[] {
  return missing.map((line) => {
    const parameter = /^'param:([^']+)'/.exec(line)?.[1];
    const isAbsent = parameter !== undefined && !names.includes(parameter);
    return `${line} on ${method} ${text}${isAbsent ? `, which has no ':${parameter}'` : ""}`;
  });
}
