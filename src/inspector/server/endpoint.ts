// One endpoint of the Inspector as data: an Axon with the schemas of its contract.

import type { TSchema } from "@sinclair/typebox";

import type { BusView } from "#core/bus/bus.js";
import { RequestId, RequestOrigin } from "#core/facts/ingress-facts.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import type { Extractor } from "#http/input/extractor.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { type InspectorRole, roleOf, tokenIdOf } from "../door/bearer-auth.js";

/** Who asks. */
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
  /** Whom it is for. */
  readonly role: InspectorRole;
  readonly summary: string;
  readonly axon: AnyAxon;
  /** Undefined: what the Axon's input schema says. */
  readonly input: Extractor<unknown> | undefined;
}

interface Definition<In> {
  /** "POST /api/v1/relay" */
  readonly route: `${Endpoint["method"]} /${string}`;
  readonly role: InspectorRole;
  /** A line of docs/inspector.md. */
  readonly summary: string;
  /** Of the body, or of path and query together where there is none. */
  readonly takes?: TSchema;
  readonly input?: Extractor<In>;
  /** Undefined where the answer is no JSON. */
  readonly gives?: TSchema;
  readonly run: (input: In, caller: Caller) => unknown;
}

type CallerBus = BusView<typeof IamIdentity | typeof RequestId, never, typeof RequestOrigin>;

export function endpoint<In = undefined>(definition: Definition<In>): Endpoint {
  const { route, role, summary, takes, gives, input, run } = definition;
  const [method, path] = route.split(" ") as [Endpoint["method"], string];
  const bare = Axon.start<In>(route).thenFn(
    summary,
    (given: In, bus: CallerBus) => run(given, callerOf(bus)),
    { reads: [IamIdentity, RequestId], mayRead: [RequestOrigin] },
  );
  // The schemas of the contract are data here: each `run` is typed by its own call.
  const checked = takes === undefined ? bare : bare.withInputSchema(takes as never);
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

/** What a successful answer is. */
export const enveloped = <const K extends string, D>(kind: K, data: D) =>
  ({ api_version: "1.0", kind: `inspector.${kind}.v1` as const, data }) as const;
