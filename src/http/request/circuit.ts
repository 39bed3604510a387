// One mounted route: an Axon compiled for this ingress, with its input reader and response writer.
// Only declared parts of a request are fetched. request-run.ts serves the requests.

import type { AnyKey } from "#core/bus/bus-key.js";
import { missingKeys } from "#runtime/check/definite-assignment.js";
import { keysOf } from "#runtime/check/used-keys.js";
import { Program } from "#runtime/compile/program.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { decidesFirst } from "#runtime/definition/mounted.js";
import type { Instruction } from "#runtime/run/instruction.js";
import { type AnswerPolicy, guardsOf } from "../answer/answer-policy.js";
import { RouteAnswers } from "../answer/route-answers.js";
import { routeResponses } from "../answer/route-responses.js";
import { bodyMemoryOf } from "../exchange/body-memory.js";
import type { Exchange } from "../exchange/exchange.js";
import { answerTaken } from "../idempotency/attached-run.js";
import { type Reader, readNothing } from "../input/extraction.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { type Input, inputOf, limitsOf } from "../plan/route-input.js";
import type { Pattern } from "../routing/pattern.js";
import { reportLettersOfRequests } from "./checks/letters-of-requests.js";
import { reducedLimit } from "./checks/reduced-limit.js";
import { requestBoundKeys } from "./checks/request-bound-keys.js";
import { reportUnreadParameters } from "./checks/unread-parameters.js";
import type { CircuitContext } from "./circuit-context.js";
import { composed } from "./composition.js";
import { DetachedRuns, requireFindable, statusTargets } from "./detached-run.js";
import { type DisposalCount, disposal } from "./disposal.js";
import { notingReader } from "./fetched-parts.js";
import { headerSteps } from "./header-steps.js";
import { idempotencyOf } from "./idempotent-route.js";
import type { CircuitSupply } from "./ingress-supply.js";
import { privateAnswers } from "./private-answers.js";
import { RequestRun } from "./request-run.js";
import { requestOrigin } from "./request-traces.js";

export class Circuit {
  readonly method: string;
  readonly pattern: Pattern;
  readonly isProbe: boolean;
  /** The engine's WebSocket behaviour; -1 for none. */
  readonly behaviour: number;
  readonly policy: AnswerPolicy;
  readonly requests: RequestRun;
  /** A line for each key without a provider. A circuit with such a line must not serve. */
  readonly missing: readonly string[];
  /** A line for each key that a resumed run would lack. */
  readonly unkept: readonly string[];
  readonly #disposing: DisposalCount = { count: 0 };
  readonly #reader: Reader;
  readonly #supply: CircuitSupply;

  /** Throws for an invalid schema, branch or jump. */
  constructor(route: RouteDefinition, context: CircuitContext) {
    const { method, pattern, behaviour, isProbe } = route;
    const axon = headerSteps(composed(route, context));
    const { production, reporter, serves, clients, entering } = context;
    const { reader, checked } = entering === undefined ? inputOf(route) : UNREAD;
    const guards = guardsOf(axon);
    const { bodyLimit: allowed, timeoutMs } = limitsOf(route, guards, context);
    const declared = isProbe
      ? context.policy.unobserved
      : context.policy.for([...privateAnswers(axon, context), ...guards]);
    const policy = route.compress ? declared : declared.uncompressed;
    const read = policy.observers.flatMap(({ reads }) => reads);
    const keys = keysOf(axon);
    const supply = context.supply.for(keys, pattern, read);
    const keptRuns = axon.persistence && context.kept?.runs;
    const serving = { ...context, timeoutMs, reader, supply, keptRuns };
    const idempotency = entering === undefined ? idempotencyOf(route, axon, serving) : undefined;
    const detached = DetachedRuns.of(route, { host: context.kept?.host, path: context.runStatus });
    requireFindable(route, context.runStatus);
    const around = supply.disposes ? [disposal(axon.name, reporter, this.#disposing)] : [];
    const timeouts = context.deadlines.of(timeoutMs);
    // Throws for a success that nothing sends.
    const responses = routeResponses(route, axon, context.runStatus !== undefined);
    const isInDocument = serves === "route" && !isProbe && !route.internal;
    const answers: RouteAnswers = new RouteAnswers({
      ...context,
      axon,
      where: whereOf(route, axon),
      deadlines: timeouts,
      onFault: route.onFault,
      responseSchemas: route.responseSchemas,
      declared: isInDocument ? responses : undefined,
      route: `${method} ${pattern.text}`,
      isFallback: serves === "fallback",
      statusOf: statusTargets(context.runStatus),
      taken:
        keptRuns && ((exchange, runId) => void answerTaken({ runs: keptRuns, runId }, exchange, answers)),
    });
    // A retried request must have the same body, even if the Axon does not read it.
    const takesBody = (reader.readsBody && !reader.streams) || idempotency !== undefined;
    const bodyLimit =
      takesBody || reader.keeps ? reducedLimit(route, allowed, bodyMemoryOf(context), reporter) : allowed;
    const text = serves === "route" ? pattern.text : undefined;
    const compile = (input: Instruction["step"] | undefined): Program =>
      new Program(axon, {
        ...supply,
        production,
        reporter,
        inputChecked: checked,
        input: entering?.(() => this.program) ?? input,
        entersLine: entering !== undefined,
        around,
        ...(context.recorder && { recorder: context.recorder }),
        origin: requestOrigin(text, context.observation, { ...supply, clients, reader }),
        isTold: context.tracing !== undefined,
        owner: context.kept?.host,
        unsent: (answer, instead, request) => answers.unsent(answer, instead, request as Exchange),
        ownBus: true,
      });
    this.requests = new RequestRun({
      context,
      compile,
      policy,
      observed: { observers: policy.observers, facts: supply.facts, route: text },
      isProbe,
      upgrades: behaviour >= 0,
      supply,
      // Decided here: a process without a recorder pays nothing.
      reader: context.recorder !== undefined && reader.readsBody ? notingReader(reader) : reader,
      takesBody,
      readsFirst: entering === undefined && around.length === 0 && !decidesFirst(axon),
      suspends:
        detached === undefined &&
        idempotency === undefined &&
        around.length + axon.layers.length === 0 &&
        timeoutMs >= context.bodyTimeoutMs,
      bodyLimit,
      timeouts,
      answers,
      idempotency,
      detached,
    });
    this.method = method;
    this.pattern = pattern;
    this.isProbe = isProbe;
    this.behaviour = behaviour;
    this.policy = policy;
    this.missing = missingKeys(axon.name, this.program.code, supply.given);
    this.unkept = requestBoundKeys(axon, this.program, supply);
    if (entering === undefined) {
      reportLettersOfRequests(route.axon, supply.supply.constants.keys(), reporter);
      reportUnreadParameters(route, [...keys, ...read], reporter);
    }
    this.#reader = reader;
    this.#supply = supply;
  }

  /** True if request headers are looked up by name. */
  get looksUp(): boolean {
    const { headers, readsRequestId, readsTrace } = this.#supply;
    return headers.length > 0 || readsRequestId || readsTrace || this.#reader.headers.size > 0;
  }

  /** Keys with a value before the first step. */
  get given(): readonly AnyKey[] {
    return this.#supply.given;
  }

  get program(): Program {
    return this.requests.program;
  }

  get name(): string {
    return this.program.name;
  }

  /** Number of runs awaiting a promise, reading input or disposing of values. */
  get waiting(): number {
    return Math.max(this.requests.waiting, this.#disposing.count);
  }
}

/** Not `readNothing` itself, for which no step stands. */
const UNREAD: Input = { reader: { ...readNothing }, checked: true };

/** Names the step whose output the response is: "GET /orders/:id, step 'price' of Axon 'orders'". */
function whereOf({ method, pattern }: RouteDefinition, { name, steps }: AxonDefinition): string {
  const last = steps.at(-1);
  const step = last === undefined ? "" : `step '${last.transition.name}' of `;
  return `${method} ${pattern.text}, ${step}Axon '${name}'`;
}
