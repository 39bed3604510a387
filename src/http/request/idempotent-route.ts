import type { AnyKey } from "#core/bus/bus-key.js";
import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { SessionIssued } from "#core/ports/session.js";
import { type AxonDefinition, type StepDefinition, visitStep } from "#runtime/definition/axon-definition.js";
import { leadingGuards } from "#runtime/definition/mounted.js";
import type { ServedRuns } from "#runtime/hosting/served-runs.js";
import { Idempotency } from "../idempotency/idempotency.js";
import type { Reader } from "../input/extraction.js";
import { describeRoute, type RouteDefinition } from "../plan/route-definition.js";
import { routeInvalid } from "../refusal/option-checks.js";
import type { CircuitContext } from "./circuit-context.js";
import { withInner } from "./composition.js";
import type { CircuitSupply } from "./ingress-supply.js";

interface Serving extends Pick<CircuitContext, "reporter" | "serves" | "kept" | "stores"> {
  readonly timeoutMs: number;
  readonly reader: Pick<Reader, "streams" | "headers">;
  readonly supply: Pick<CircuitSupply, "facts" | "given">;
  /** Undefined if the Axon keeps no runs. */
  readonly keptRuns: ServedRuns | undefined;
}

/** Undefined if no guard declares idempotency. Throws ROUTE_INVALID, CONFIG_INVALID. */
export function idempotencyOf(
  route: RouteDefinition,
  mounted: AxonDefinition,
  { timeoutMs, reporter, reader, serves, supply, keptRuns, kept, stores }: Serving,
): Idempotency | undefined {
  const description = describeRoute(route);
  const count = leadingGuards(mounted);
  const behind = mounted.steps.slice(count).flatMap(withInner).find(isIdempotent);
  if (behind !== undefined)
    throw routeInvalid(
      `the guard '${behind.transition.name}' of ${description} stands behind its input: mount it in front, { guards: [...] }`,
    );
  const step = [...mounted.guards, ...mounted.steps.slice(0, count)].findLast(isIdempotent);
  const policy = (step?.transition as AnyGuard | undefined)?.idempotency;
  // A fallback serves all methods.
  if (policy === undefined || serves === "nothing") return undefined;
  if (serves !== "fallback" && !policy.methods.has(route.method)) return undefined;
  if (reader.streams)
    throw routeInvalid(
      `${description} reads its body as it arrives, and the guard '${step?.transition.name}' looks at it whole before: take it with bytes(), or leave the guard out, { without: ["${step?.transition.name}"] }`,
    );
  if (policy.scope !== "own") {
    const inFront = stepsInFront(mounted, count);
    const isGiven = supply.given.includes(VerifiedIdentity);
    const late = isGiven || inFront.some(mayVerify) ? undefined : verifyingBehind(mounted, count);
    if (late !== undefined)
      throw routeInvalid(
        `'${late}' of ${description} verifies its caller behind the input, where the guard '${step?.transition.name}' has looked up the idempotency key: let it stand in front, { guards: [...] }, or tell callers apart by IdempotencyGuard({ scope })`,
      );
    const readsCookie = reader.headers.has("cookie") || [...supply.facts.keys()].some(isCookie);
    if (policy.scope === undefined && readsCookie && !isGiven && !inFront.some(alwaysVerifies))
      throw routeInvalid(
        `${description} reads cookies and may have unverified callers: the guard '${step?.transition.name}' would take all of one address for one caller, and send the response of one to another; name the session's cookie, IdempotencyGuard({ cookie: "sid" }), or give it a scope`,
      );
  }
  const { name: axon, persistence } = mounted;
  const isOneDatabase = stores?.idempotency === policy.store && stores.runs === persistence?.store;
  const pattern = route.pattern.text;
  return new Idempotency(policy, {
    description,
    pattern,
    axon,
    timeoutMs,
    reporter,
    keptRuns,
    detached: route.detached,
    host: isOneDatabase ? kept?.host.id : undefined,
  });
}

type Writing = Pick<AnyTransition, "writes" | "mayWrite">;

const alwaysVerifies = ({ writes = [] }: Writing): boolean => writes.includes(VerifiedIdentity);
const mayVerify = ({ writes = [], mayWrite = [] }: Writing): boolean =>
  [...writes, ...mayWrite].includes(VerifiedIdentity);

/** Layers, guards and the IAM boundary. */
const stepsInFront = ({ layers, guards, iam, steps }: AxonDefinition, count: number): readonly Writing[] => [
  ...layers.map(({ layer }) => layer),
  ...[...guards, ...(iam === undefined ? [] : [iam.step]), ...steps.slice(0, count)].map(
    ({ transition }) => transition,
  ),
];

/** Name of the first verifying step behind the guards. A login does not count: its body, part of the fingerprint, identifies the client. */
function verifyingBehind({ steps }: AxonDefinition, count: number): string | undefined {
  let name: string | undefined;
  const step = ({ transition }: StepDefinition): void => {
    if (mayVerify(transition) && !transition.writes?.includes(SessionIssued)) name ??= transition.name;
  };
  for (const behind of steps.slice(count)) visitStep(behind, { step });
  return name;
}

const isCookie = ({ name }: AnyKey): boolean => /^(?:(?:signed|encrypted) )?cookie:/.test(name);

const isIdempotent = ({ transition }: StepDefinition): boolean =>
  (transition as Partial<AnyGuard>).idempotency !== undefined;
