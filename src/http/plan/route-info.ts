import type { TSchema } from "@sinclair/typebox";

import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { Credential } from "#core/flow/guard.js";
import type { Schematic } from "#core/flow/schematic.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import type { Part } from "../input/extractor.js";
import type { EventsDefinition } from "./route-definition.js";
import type { RouteIamInfo } from "./route-iam.js";
import type { WebSocketLimits } from "./web-socket-limits.js";

/** A header or a cookie that a step, guard or layer reads. */
export interface HeadInput {
  readonly in: "header" | "cookie";
  /** Name; lower case for a header. */
  readonly name: string;
  /** True if a request without it is refused. */
  readonly required: boolean;
}

/** A policy, and the place of its credential in the request. */
export interface Admission {
  readonly policy: IamPolicy;
  /** Undefined if no guard declares it. */
  readonly credential: Credential | undefined;
}

/** A mounted route as data. */
export interface RouteInfo {
  /** "*" for the fallback. */
  readonly method: string;
  /** The declared path: "/orders/:id". */
  readonly path: string;
  readonly axon: string;
  /** Names of layers, in the order in which they run. */
  readonly layers: readonly string[];
  readonly guards: readonly string[];
  readonly iam: RouteIamInfo | undefined;
  readonly input: Part | undefined;
  readonly output: TSchema | undefined;
  readonly responseSchemas: Readonly<Record<number, TSchema>>;
  /** Its responses, each status and code once. A success without a declaration follows from `output`. */
  readonly responses: readonly DeclaredResponse[];
  /** Headers and cookies that it reads beside its input. */
  readonly reads: readonly HeadInput[];
  /** Media types of bodies that a guard accepts; undefined if no guard declares them. */
  readonly accepts: readonly string[] | undefined;
  /** Names of headers that its responses may have; sorted, in lower case. */
  readonly writes: readonly string[];
  /** Policies of its guards and its Axon. A client must satisfy each of them. */
  readonly admits: readonly Admission[];
  /** True if it responds before the end of its run. */
  readonly detached: boolean;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  /** Undefined for one that is made of method and path. */
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** True if documentation omits it. Probes are omitted. */
  readonly internal: boolean;
  readonly bodyLimit: number;
  /** Milliseconds until a run is aborted and 504 is sent. */
  readonly timeoutMs: number;
  /** The schematic with layers and guards. */
  readonly schematic: Schematic;
  readonly webSocket: WebSocketInfo | undefined;
  /** Undefined for a route that is not a stream of events. */
  readonly events: EventsDefinition | undefined;
}

export interface WebSocketInfo {
  /** Schema of messages; undefined for text or bytes. */
  readonly schema: TSchema | undefined;
  /** Schema of the messages that `message` returns and that are sent back; undefined if it declares none. */
  readonly output: TSchema | undefined;
  readonly protocols: readonly string[];
  readonly limits: Required<WebSocketLimits>;
  readonly message: Schematic;
  readonly close: Schematic | undefined;
}
