// One endpoint of the Inspector as data: an Axon with the schemas of its contract.

import { type TSchema, Type } from "@sinclair/typebox";

import type { BusView } from "#core/bus/bus.js";
import { RequestId, RequestOrigin } from "#core/facts/ingress-facts.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import type { Extractor } from "#http/input/extractor.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { closed } from "../api/shapes.js";
import { type InspectorRole, roleOf, tokenIdOf } from "../door/bearer-auth.js";

/** The owner of the request's token. */
export interface Caller {
  readonly role: InspectorRole;
  /** Identifies the token without revealing it. */
  readonly tokenId: string;
  readonly origin: string | undefined;
  readonly requestId: string;
}

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

type CallerBus = BusView<typeof IamIdentity | typeof RequestId, never, typeof RequestOrigin>;

export function endpoint<In = undefined>(definition: Definition<In>): Endpoint {
  const { route, role, summary, takes, gives, input, run } = definition;
  const [method, path] = route.split(" ") as [Endpoint["method"], string];
  const bare = Axon.start<In>(route).thenFn(
    summary,
    (given: In, bus: CallerBus) => run(given, callerOf(bus)),
    { reads: [IamIdentity, RequestId], mayRead: [RequestOrigin] },
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

const callerOf = (bus: CallerBus): Caller => ({
  role: roleOf(bus.get(IamIdentity)),
  tokenId: tokenIdOf(bus.get(IamIdentity)),
  origin: bus.find(RequestOrigin),
  requestId: bus.get(RequestId),
});

/** Schema of a successful response. */
export const enveloped = <const K extends string, D>(kind: K, data: D) =>
  ({ api_version: "1.0", kind: `inspector.${kind}.v1` as const, data }) as const;
