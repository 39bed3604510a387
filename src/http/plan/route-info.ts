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
  /** A header's in lower case. */
  readonly name: string;
  /** Whether a request without it is refused. */
  readonly required: boolean;
}

/** A policy and where the credential is read that it decides by. */
export interface Admission {
  readonly policy: IamPolicy;
  /** Undefined where no guard says. */
  readonly credential: Credential | undefined;
}

/** A mounted route as data. */
export interface RouteInfo {
  /** "*" for the fallback. */
  readonly method: string;
  /** As declared: "/orders/:id". */
  readonly path: string;
  readonly axon: string;
  /** Names, in the order in which they run. */
  readonly layers: readonly string[];
  readonly guards: readonly string[];
  readonly iam: RouteIamInfo | undefined;
  readonly input: Part | undefined;
  readonly output: TSchema | undefined;
  readonly responseSchemas: Readonly<Record<number, TSchema>>;
  /** What it can respond with beside its output, as far as that is declared; of each status and code once. */
  readonly responses: readonly DeclaredResponse[];
  /** What it reads of the head beside its input. */
  readonly reads: readonly HeadInput[];
  /** The media types of bodies that a guard lets pass; undefined where none says. */
  readonly accepts: readonly string[] | undefined;
  /** Names of headers that its responses can have; sorted, in lower case. */
  readonly writes: readonly string[];
  /** Whom its guards and its Axon let in: each of these policies has to. */
  readonly admits: readonly Admission[];
  /** Whether it responds before its run is over. */
  readonly detached: boolean;
  readonly summary: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** Whether documentation leaves it out: probes too. */
  readonly internal: boolean;
  readonly bodyLimit: number;
  /** Milliseconds until a run is answered 504. */
  readonly timeoutMs: number;
  /** With layers and guards. */
  readonly schematic: Schematic;
  readonly webSocket: WebSocketInfo | undefined;
  /** Undefined for a route that is no stream of events. */
  readonly events: EventsDefinition | undefined;
}

export interface WebSocketInfo {
  /** Undefined for text or bytes. */
  readonly schema: TSchema | undefined;
  /** Of what `message` answers, and is sent back; undefined where it says none. */
  readonly output: TSchema | undefined;
  readonly protocols: readonly string[];
  readonly limits: Required<WebSocketLimits>;
  readonly message: Schematic;
  readonly close: Schematic | undefined;
}
