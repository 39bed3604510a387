// One endpoint of the Inspector as data: an Axon with the schemas of its contract.

import { type TSchema, Type } from "@sinclair/typebox";

import type { Extractor } from "#http/input/extractor.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { closed } from "../api/shapes.js";
import type { InspectorRole } from "../door/bearer-auth.js";
import { CALLER_KEYS, type Caller, callerOf } from "../door/caller.js";

export interface Endpoint {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** The least role that may call it. */
  readonly role: InspectorRole;
  readonly summary: string;
  readonly axon: AnyAxon;
  /** Undefined: derived from the Axon's input schema. */
  readonly input: Extractor<unknown> | undefined;
}

interface Definition<In> {
  /** "POST /api/v1/relay" */
  readonly route: `${Endpoint["method"]} /${string}`;
  readonly role: InspectorRole;
  /** The endpoint's description in docs/inspector.md. */
  readonly summary: string;
  /** Schema of the body, or of path and query together for an endpoint without a body. */
  readonly takes?: TSchema;
  readonly input?: Extractor<In>;
  /** Undefined for a response that is not JSON. */
  readonly gives?: TSchema;
  readonly run: (input: In, caller: Caller) => unknown;
}

const NOTHING = Type.Object({}, closed);

export function endpoint<In = undefined>(definition: Definition<In>): Endpoint {
  const { route, role, summary, takes, gives, input, run } = definition;
  const [method, path] = route.split(" ") as [Endpoint["method"], string];
  const bare = Axon.start<In>(route).thenFn(
    summary,
    (given: In, bus) => run(given, callerOf(bus)),
    CALLER_KEYS,
  );
  // The schemas are plain data here: each endpoint's `run` is typed where it is declared.
  const schema = takes ?? (method === "GET" ? NOTHING : undefined);
  const checked = schema === undefined ? bare : bare.withInputSchema(schema as never);
  const axon: unknown = gives === undefined ? checked : checked.withOutputSchema(gives as never);
  return {
    method,
    path,
    role,
    summary,
    axon: axon as AnyAxon,
    input,
  };
}

/** Schema of a successful response. */
export const enveloped = <const K extends string, D>(kind: K, data: D) =>
  ({ api_version: "1.0", kind: `inspector.${kind}.v1` as const, data }) as const;
