// One endpoint of the Inspector as data: an Axon with the schemas of its contract.

import { type TSchema, Type } from "@sinclair/typebox";

import { declaredOf } from "#core/bus/declared-response.js";
import { type Fault, isFault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type InspectorCode, inspectorCodes } from "#core/error-codes.js";
import type { Extractor } from "#http/input/extractor.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import type { InspectorFault } from "../api/fault.js";
import { closed, type Given } from "../api/shapes.js";
import type { InspectorRole } from "../door/bearer-auth.js";
import { CALLER_KEYS, type Caller, callerOf } from "../door/caller.js";
import { type Across, type Run, spread } from "../peers/across.js";
import type { Peers } from "../peers/peers.js";

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

/** The schema of a response, as `envelope` makes it. */
type Enveloped<D> = TSchema & {
  readonly properties: {
    readonly kind: { readonly const: string };
    readonly data: TSchema & { readonly static: D };
  };
};

interface Definition<In, D, Raw = In> {
  /** "POST /api/v1/relay" */
  readonly route: `${Endpoint["method"]} /${string}`;
  readonly role: InspectorRole;
  /** The endpoint's description in docs/inspector.md. */
  readonly summary: string;
  /** Schema of the body, or of path and query together for an endpoint without a body. */
  readonly takes?: TSchema & { readonly static: Raw };
  readonly input?: Extractor<Raw>;
  /** Undefined for a response that is not JSON. */
  readonly gives?: Enveloped<D>;
  /** Schema of the answer where `gives` is undefined and another process may answer. */
  readonly passes?: TSchema & { readonly static: D };
  /** How it answers for all processes of the service. Default: the asked process answers. */
  readonly across?: Across<NoInfer<In>, Given<NoInfer<D>>>;
  /** The answer of this process, without its envelope. */
  readonly run: Run<NoInfer<In>, Given<NoInfer<D>>>;
  /** Records an operator's action. The answer of `act` is that of all processes. */
  readonly acted?: (
    act: () => MaybePromise<Outcome<Given<NoInfer<D>>>>,
    input: NoInfer<In>,
    caller: Caller,
  ) => MaybePromise<Outcome<Given<NoInfer<D>>>>;
  /** Statuses of success that `responds` has beside 200, for the OpenAPI document. */
  readonly statuses?: readonly number[];
  /** The response, where it is not the answer in its envelope with status 200. */
  readonly responds?: (answer: Given<NoInfer<D>>, enveloped: unknown) => unknown;
}

interface Asked<In, D> extends Endpoint {
  /** The answer without a request, and unrecorded. */
  readonly ask: Run<In, Given<D>>;
}

type Outcome<D> = D | Fault<InspectorFault>;

const NOTHING = Type.Object({}, closed);

/** `peers` are the other processes of the service, if there are any. */
export const endpoint = <In, D>(definition: Definition<In, D>, peers?: Peers): Asked<In, D> =>
  readingEndpoint((raw) => raw, definition, peers);

/** As `endpoint`, with an input that is read once more behind its extractor. */
export function readingEndpoint<Raw, In, D>(
  read: (raw: Raw) => In | Fault<unknown>,
  definition: Definition<In, D, Raw>,
  peers?: Peers,
): Asked<In, D> {
  const { route, role, summary, takes, gives, passes, input, across, acted, responds } = definition;
  const { statuses = [] } = definition;
  const [method, path] = route.split(" ") as [Endpoint["method"], string];
  const schema = gives?.properties.data ?? passes ?? Type.Unknown();
  const question = { about: route, schema, steers: role === "operator", run: definition.run };
  const run = across === undefined ? definition.run : spread(question, across, peers);
  const refusals: readonly InspectorCode[] = [
    ...(across !== undefined && "owner" in across ? [across.owner, "WORKER_SILENT" as const] : []),
    ...(acted === undefined ? [] : ["ACTION_UNRECORDED" as const]),
  ];
  const bare = Axon.start<Raw>(route).thenFn(
    summary,
    async (raw: Raw, bus) => {
      const given = read(raw);
      if (isFault(given)) return given;
      const caller = callerOf(bus);
      const act = () => run(given, caller);
      const answer = await (acted === undefined ? act() : acted(act, given, caller));
      if (isFault(answer)) return answer;
      const kind = gives?.properties.kind.const;
      const enveloped = kind === undefined ? answer : { api_version: "1.0", kind, data: answer };
      return responds === undefined ? enveloped : responds(answer, enveloped);
    },
    {
      ...CALLER_KEYS,
      responses: [...statuses.map((status) => ({ status })), ...declaredOf(inspectorCodes, ...refusals)],
    },
  );
  // The schemas are plain data here: each endpoint's `run` is typed where it is declared.
  const taken = takes ?? (method === "GET" ? NOTHING : undefined);
  const checked = taken === undefined ? bare : bare.withInputSchema(taken as never);
  const axon: unknown = gives === undefined ? checked : checked.withOutputSchema(gives as never);
  return { method, path, role, summary, axon: axon as AnyAxon, input, ask: run };
}

/** Runs with a part of the server, or responds with `lacking` if the server does not have it. */
export const having =
  <P, In, D>(
    part: P | undefined,
    lacking: Fault<InspectorFault>,
    run: (part: P, input: In, caller: Caller) => MaybePromise<Outcome<D>>,
  ): Run<In, D> =>
  (input, caller) =>
    part === undefined ? lacking : run(part, input, caller);
