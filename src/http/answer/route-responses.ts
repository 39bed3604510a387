// The possible responses of a route. Input, guards, layers, policies and steps declare theirs; those of
// the ingress and the runtime follow from the declarations, a success from the output schema.

import type { AnyKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { faultCodes, guardCodes, refusalCodes } from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import { QueryParams } from "#core/facts/ingress-facts.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { type AxonDefinition, outputSchemaOf, visitAxon } from "#runtime/definition/axon-definition.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { declaredInput } from "../plan/route-input.js";
import { guardsOf } from "./answer-policy.js";
import { bodyResponses, inputResponses } from "./input-responses.js";
import { statusesOf } from "./response-forms.js";

/**
 * Each status and code once. `axon` is the route's Axon with its front. `servesStatus`: `runStatus` is
 * mounted. Throws ROUTE_INVALID if the options of the route name a success that nothing sends.
 */
export function routeResponses(
  route: RouteDefinition,
  axon: AxonDefinition,
  servesStatus: boolean,
): readonly DeclaredResponse[] {
  const { method, detached } = route;
  const declared = [
    ...declaredOf(refusalCodes, "INTERNAL_ERROR", "OVERLOADED"),
    // The route's time-out does not apply to a detached run.
    ...(detached ? [RUN_ACCEPTED] : declaredOf(refusalCodes, "ROUTE_TIMEOUT")),
    ...declaredOf(faultCodes, "RUN_ABORTED"),
    ...responsesOfInput(route),
    ...ofFront(axon),
    // A detached route responds before the steps run.
    ...(detached ? ofMode(axon) : ofSteps(axon)),
    ...ofIdempotency(guardsOf(axon), method),
    ...(route.webSocket === undefined ? [] : HANDSHAKE),
  ];
  // A request that is told of a run which another request or process goes on with.
  const isTold = servesStatus && axon.persistence !== undefined;
  const told = isTold && !declared.some(({ status }) => status === 202) ? [RUN_ACCEPTED] : [];
  const sent = [...declared, ...successesOf(route, axon, declared), ...told];
  requireSent(route, sent);
  const all = [...sent, ...route.responses, ...schemasAlone(route, sent)];
  const known = new Map<string, DeclaredResponse>();
  for (const one of all) {
    const { status, code, methods } = one;
    if (methods === undefined || methods.includes(method)) known.set(`${status} ${code ?? ""}`, one);
  }
  return [...known.values()];
}

/** Named by steps, else by the output schema. */
function successesOf(
  { webSocket, detached }: RouteDefinition,
  axon: AxonDefinition,
  declared: readonly DeclaredResponse[],
): readonly DeclaredResponse[] {
  if (webSocket !== undefined || detached || declared.some(({ status }) => status < 300)) return [];
  const output = outputSchemaOf(axon);
  return (output === undefined ? [200] : statusesOf(output)).map((status) => ({ status }));
}

/** A fault never has a success status, so `onFault` sends none. */
function requireSent(route: RouteDefinition, sent: readonly DeclaredResponse[]): void {
  const { method, pattern, onFault, responses, responseSchemas } = route;
  const isSent = (status: number): boolean =>
    (status >= 300 && (status >= 400 || onFault !== undefined)) || sent.some((one) => one.status === status);
  const named = [
    ["responses", responses.map((response) => response?.status)],
    ["responseSchemas", Object.keys(responseSchemas).map(Number)],
  ] as const;
  for (const [option, statuses] of named) {
    const unsent = statuses.find((status) => Number.isInteger(status) && !isSent(status));
    if (unsent === undefined) continue;
    throw new FrameworkError(
      "ROUTE_INVALID",
      `${option} of ${method} ${pattern.text} names ${unsent}, which no step, guard or layer declares: add responses: [{ status: ${unsent} }] to the step that sends it, or remove it here`,
    );
  }
}

/** Statuses of `onFault` that have a schema and no declaration. */
const schemasAlone = (
  { responseSchemas }: RouteDefinition,
  sent: readonly DeclaredResponse[],
): readonly DeclaredResponse[] =>
  Object.keys(responseSchemas)
    .map((status) => ({ status: Number(status) }))
    .filter(({ status }) => !sent.some((one) => one.status === status));

/** Of detached routes, and of kept runs whose status is served. */
export const RUN_ACCEPTED: DeclaredResponse = { status: 202, title: "The run has begun" };
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
