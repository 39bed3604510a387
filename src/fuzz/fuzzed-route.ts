// A mounted route as the fuzzer sees it: its input, its guards, its declarations.

import type { TSchema } from "@sinclair/typebox";

import type { AnyGuard } from "#core/flow/guard.js";
import type { IamCounts } from "#core/flow/iam-boundary.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import { routeInfos } from "#http/description/route-infos.js";
import type { Part } from "#http/input/extractor.js";
import type { RouteDefinition } from "#http/plan/route-definition.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import { composed } from "#http/request/composition.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { FuzzIngress } from "./application.js";
import { DeclaredAnswers } from "./declared-answers.js";
import { type FuzzIdentity, NOBODY } from "./fuzz-identity.js";
import { type SeenConstants, seenConstants } from "./seen-constants.js";

/** A guard that decides by identity before the input is read. */
interface Door {
  readonly policy: IamPolicy;
  /** Counts of its verdicts; undefined if they are not counted. */
  readonly counts: IamCounts | undefined;
}

export interface FuzzedRoute {
  /** "POST /orders/:id". */
  readonly row: string;
  readonly info: RouteInfo;
  /** Names of the path's parameters. */
  readonly names: readonly string[];
  /** The extractors of its input, without `combine`. */
  readonly parts: readonly Exclude<Part, { kind: "combine" }>[];
  readonly doors: readonly Door[];
  readonly declared: DeclaredAnswers;
  readonly seen: SeenConstants;
}

export const rowOf = ({ method, pattern }: RouteDefinition): string => `${method} ${pattern.text}`;

/** All routes except probes and the fallback. */
export function fuzzedRoutes({ plan }: FuzzIngress): readonly FuzzedRoute[] {
  const infos = routeInfos(plan);
  return plan.routes.flatMap((route, i) =>
    route.isProbe ? [] : [fuzzedRoute(route, infos[i] as RouteInfo, composed(route, plan))],
  );
}

function fuzzedRoute(route: RouteDefinition, info: RouteInfo, axon: AxonDefinition): FuzzedRoute {
  const parts = info.input === undefined ? [] : flat(info.input);
  return {
    row: rowOf(route),
    info,
    names: route.pattern.names,
    parts,
    doors: doorsOf(axon),
    declared: new DeclaredAnswers(info),
    // Read at the first use: a replayed request needs none.
    get seen() {
      return seenConstants(axon, [...parts.flatMap(schemasOf), ...messagesOf(info)]);
    },
  };
}

function schemasOf(part: FuzzedRoute["parts"][number]): readonly TSchema[] {
  if (part.kind === "multipart") return part.options.schema === undefined ? [] : [part.options.schema];
  return "schema" in part ? [part.schema] : [];
}

const messagesOf = ({ webSocket }: RouteInfo): readonly TSchema[] =>
  webSocket?.schema === undefined ? [] : [webSocket.schema];

const flat = (part: Part): FuzzedRoute["parts"] =>
  part.kind === "combine" ? Object.values(part.parts).flatMap(flat) : [part];

/** The guards in front. A step behind others does not decide about the whole route. */
function doorsOf({ guards, iam }: AxonDefinition): readonly Door[] {
  return [...guards, ...(iam === undefined ? [] : [iam.step])].flatMap(({ transition }) => {
    const { admits, counts } = transition as AnyGuard & { readonly counts?: IamCounts };
    return admits === undefined ? [] : [{ policy: admits, counts }];
  });
}

/** The guards that must refuse a caller. */
export function closedDoors(
  { doors }: FuzzedRoute,
  as: string | undefined,
  identity: FuzzIdentity,
): readonly Door[] {
  const { roles = [], claims = {} } = identity;
  const caller = as === undefined ? undefined : ({ subject: as || NOBODY, roles, claims } as IamIdentity);
  return doors.filter(({ policy }) => policy.decide(caller) !== undefined);
}

/** Number of runs that a guard has admitted. */
export const admitted = ({ counts }: Door): number =>
  counts === undefined ? 0 : counts.verified + counts.anonymous;
