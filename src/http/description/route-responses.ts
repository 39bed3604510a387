// The possible responses of a route beside its output. Input, guards, layers, policies and steps
// declare theirs; those of the ingress and the runtime follow from the declarations.

import type { AnyKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { faultCodes, guardCodes, refusalCodes } from "#core/error-codes.js";
import { QueryParams } from "#core/facts/ingress-facts.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { type AxonDefinition, visitAxon } from "#runtime/definition/axon-definition.js";
import { guardsOf } from "../answer/answer-policy.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { declaredInput } from "../plan/route-input.js";
import { bodyResponses, inputResponses } from "./input-responses.js";

/** Each status and code once. `axon` is the route's Axon with its front. */
export function routeResponses(route: RouteDefinition, axon: AxonDefinition): readonly DeclaredResponse[] {
  const { method, detached } = route;
  const all = [
    ...declaredOf(refusalCodes, "INTERNAL_ERROR", "OVERLOADED"),
    // The route's time-out does not apply to a detached run.
    ...(detached ? ACCEPTED : declaredOf(refusalCodes, "ROUTE_TIMEOUT")),
    ...declaredOf(faultCodes, "RUN_ABORTED"),
    ...responsesOfInput(route),
    ...ofFront(axon),
    // A detached route responds before the steps run.
    ...(detached ? ofMode(axon) : ofSteps(axon)),
    ...route.responses,
    ...ofIdempotency(guardsOf(axon), method),
    ...(route.webSocket === undefined ? [] : HANDSHAKE),
  ];
  const known = new Map<string, DeclaredResponse>();
  for (const one of all) {
    const { status, code, methods } = one;
    if (methods === undefined || methods.includes(method)) known.set(`${status} ${code ?? ""}`, one);
  }
  return [...known.values()];
}

const ACCEPTED: readonly DeclaredResponse[] = [{ status: 202, title: "The run has begun" }];
const HANDSHAKE: readonly DeclaredResponse[] = [
  { status: 101, title: "The connection is open" },
  ...declaredOf(refusalCodes, "HANDSHAKE_INVALID", "UPGRADE_REQUIRED"),
  ...declaredOf(guardCodes, "ORIGIN_REFUSED"),
];

/** Responses of the input. The Axon validates input that was not read by its schema. */
export function responsesOfInput(route: RouteDefinition): readonly DeclaredResponse[] {
  const part = declaredInput(route);
  const { input } = route.axon;
  const isChecked = part !== undefined && "schema" in part && part.schema === input;
  return [
    ...(part === undefined ? [] : inputResponses(part)),
    ...(input === undefined || isChecked ? [] : AGAINST),
  ];
}

/** A step, guard or layer. */
type Reading = Pick<AnyTransition, "reads" | "mayRead" | "responses">;

const ofFront = ({ layers, guards, iam }: AxonDefinition): readonly DeclaredResponse[] =>
  [
    ...layers.map(({ layer }) => layer as Reading),
    ...guards.map(({ transition }) => transition),
    ...(iam === undefined ? [] : [iam.boundary]),
  ].flatMap(responsesOf);

/** The declared responses, and those of required headers and cookies, and of a query that is read. */
export function responsesOf({
  responses = [],
  reads = [],
  mayRead = [],
}: Reading): readonly DeclaredResponse[] {
  const keys = reads as readonly AnyKey[];
  const isQueryRead = [...keys, ...(mayRead as readonly AnyKey[])].includes(QueryParams);
  return [
    ...responses,
    ...(keys.some(({ name }) => IN_HEAD.test(name)) ? MISSING : []),
    ...(isQueryRead ? MALFORMED : []),
  ];
}

const IN_HEAD = /^(?:header|(?:signed |encrypted )?cookie):/;
const MISSING = declaredOf(refusalCodes, "HEADER_MISSING");
const MALFORMED = declaredOf(refusalCodes, "PARAMETER_INVALID");

/** Responses of all steps, including branches and subgraphs. */
function ofSteps(axon: AxonDefinition): readonly DeclaredResponse[] {
  const found: DeclaredResponse[] = [];
  // Only runs of the outermost Axon are kept. Another process may cancel or take over one.
  if (axon.persistence !== undefined) found.push(...declaredOf(faultCodes, "RUN_CANCELLED", "RUN_TAKEN"));
  visitAxon(axon, {
    axon: (inner) =>
      found.push(...ofMode(inner), ...(inner === axon || inner.input === undefined ? [] : AGAINST)),
    step: ({ transition, timeoutMs }) => {
      found.push(...responsesOf(transition));
      if (timeoutMs !== undefined) found.push(...declaredOf(faultCodes, "STEP_TIMEOUT"));
      if (transition.offload !== undefined) found.push(...OFFLOADED);
      if (transition.audit?.onFailure === "refuse") found.push(...declaredOf(faultCodes, "AUDIT_FAILED"));
    },
  });
  return found;
}

const AGAINST = declaredOf(faultCodes, "INPUT_INVALID");
const OFFLOADED = declaredOf(
  faultCodes,
  "POOL_CLOSED",
  "POOL_FULL",
  "POOL_MEMORY",
  "VALUE_NOT_CLONEABLE",
  "WORKER_CRASHED",
  "WORKER_MODULE_FAILED",
);

/** Responses before the first step, and of kept runs. */
const ofMode = ({ mode, persistence }: AxonDefinition): readonly DeclaredResponse[] => [
  ...(mode.kind === "singleton" ? declaredOf(faultCodes, "LOCK_TAKEN", "LOCK_UNAVAILABLE") : []),
  ...(persistence === undefined ? [] : declaredOf(faultCodes, "CHECKPOINT_FAILED")),
];

const KEYED = declaredOf(
  refusalCodes,
  "IDEMPOTENCY_ANSWER_LOST",
  "IDEMPOTENCY_CALLER_UNKNOWN",
  "IDEMPOTENCY_IN_PROGRESS",
  "IDEMPOTENCY_MISMATCH",
  "IDEMPOTENCY_UNAVAILABLE",
);

/** Responses of idempotency keys. The body is part of the fingerprint of a request. */
const ofIdempotency = (guards: readonly AnyGuard[], method: string): readonly DeclaredResponse[] =>
  guards.some(({ idempotency }) => idempotency?.methods.has(method) === true)
    ? [...KEYED, ...bodyResponses.filter(({ status }) => status !== 415)]
    : [];
