import type { TSchema } from "@sinclair/typebox";

import type { OriginRules } from "#core/net/origin-rules.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { WebSocketLimitPlan } from "./web-socket-limits.js";

export interface WebSocketDefinition {
  readonly message: AxonDefinition;
  readonly close: AxonDefinition | undefined;
  readonly schema: TSchema | undefined;
  readonly limits: WebSocketLimitPlan;
  readonly origins: OriginRules;
  readonly protocols: readonly string[];
}

export const axonsOf = (definition: WebSocketDefinition | undefined): readonly AxonDefinition[] =>
  definition === undefined ? [] : [definition.message, ...(definition.close ? [definition.close] : [])];

export interface WebSocketMount {
  readonly definition: AxonDefinition;
  readonly webSocket: WebSocketDefinition;
}
