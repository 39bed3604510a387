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

/** The result of `onFault`; undefined where it does not map the fault. */
export type FaultReply = ProblemDetail | Reply<unknown> | undefined;

export type FaultMapper = (error: unknown) => FaultReply;

interface FrontGuards {
  readonly guards: readonly AnyGuard[];
  /** Names of outer guards that are left out. */
  readonly without: readonly string[];
}

/** A stream of events. */
export interface EventsDefinition {
  /** Of an event's data; undefined for any, or as its channel says. */
  readonly schema: TSchema | undefined;
}

/** An Axon that answers events, as it is mounted. */
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
  /** Undefined for the ingress's own limit. */
  readonly bodyLimit: number | undefined;
  readonly onFault: FaultMapper | undefined;
  /** Undefined for the ingress's own limit. */
  readonly timeoutMs: number | undefined;
  readonly compress: boolean;
  readonly detached: boolean;
  /** Of its groups and its own. */
  readonly layers: readonly AnyLayer[];
  /** From the outermost. */
  readonly fronts: readonly FrontGuards[];
  /** Whether it is a probe, without guards and layers of the ingress. */
  readonly isProbe: boolean;
  readonly summary: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** Whether documentation leaves it out. */
  readonly internal: boolean;
  /** Beside those that its steps, guards and layers declare. */
  readonly responses: readonly DeclaredResponse[];
  /** By status. */
  readonly responseSchemas: Readonly<Record<number, TSchema>>;
  readonly webSocket: WebSocketDefinition | undefined;
  readonly events: EventsDefinition | undefined;
  /** Of the engine's WebSocket behaviours; -1 for none. */
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
  /** A line for each key without a provider, beginning with its name in quotes. */
  readonly missing: readonly string[];
}

export function missingOn({ method, pattern: { text, names }, missing }: Mounted): readonly string[] {
  return missing.map((line) => {
    const parameter = /^'param:([^']+)'/.exec(line)?.[1];
    const isAbsent = parameter !== undefined && !names.includes(parameter);
    return `${line} on ${method} ${text}${isAbsent ? `, which has no ':${parameter}'` : ""}`;
  });
}
