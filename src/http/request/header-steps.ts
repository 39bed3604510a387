// Copies headers and observed keys that guards and steps write to the response. Only steps that declare
// such keys are wrapped.

import type { BusView } from "#core/bus/bus.js";
import { type AnyKey, namedKey } from "#core/bus/bus-key.js";
import type { AnyGuard } from "#core/flow/guard.js";
import { settableHeader } from "#core/wire/header-syntax.js";
import type { AxonDefinition, StepBody, StepDefinition } from "#runtime/definition/axon-definition.js";
import { isPlain, whenSettled } from "#runtime/run/answers.js";
import { TracedBus } from "#runtime/trace/traced-bus.js";
import { type AddedHeader, isAddedTo } from "../exchange/answer-heads.js";
import type { Exchange } from "../exchange/exchange.js";
import { derived } from "../refusal/derived.js";

/** The request's exchange; hidden from schematics. */
export const Answered = namedKey<Exchange, "framework:answered">("framework:answered");

/** Wraps the guards and steps of an Axon. Throws HEADER_INVALID. */
export function headerSteps(axon: AxonDefinition): AxonDefinition {
  const all = [...axon.guards, ...axon.steps];
  const wrapped = all.map((step, i) => headerStep(step, constantNames(all.slice(i + 1))));
  const inFront = axon.guards.length;
  return { ...axon, guards: wrapped.slice(0, inFront), steps: wrapped.slice(inFront) };
}

/** Names of guards' constant headers, except those that accumulate. */
function constantNames(steps: readonly StepDefinition[]): ReadonlySet<string> {
  const guards = steps.map(({ transition }) => transition as AnyGuard).filter(({ kind }) => kind === "guard");
  const names = guards.flatMap(({ responseHeaders }) => Object.keys(responseHeaders?.always ?? {}));
  return new Set(names.map((name) => name.toLowerCase()).filter((name) => !isAddedTo(name)));
}

/** `inner`: constant headers of inner guards, which take precedence. */
function headerStep(step: StepDefinition, inner: ReadonlySet<string>): StepDefinition {
  const { headers, kept } = declared(step, inner);
  const within = innerHeaderSteps(step, inner);
  if (headers.length + kept.length === 0) return within;
  // Steps have the same fields as guards here.
  const guard = step.transition as AnyGuard;
  const copy = (seen: View): void => {
    // This access must not be recorded as one of the step.
    const bus = TracedBus.beneath(seen);
    const exchange = bus.get(Answered);
    for (const { key, added, textOf } of headers) {
      const value = bus.find(key);
      const text = value === undefined ? undefined : textOf(value as never);
      if (text !== undefined) exchange.addHeader(added, text);
    }
    for (const key of kept) exchange.observation?.keep(key, bus.find(key));
  };
  // Looked up once: on guards of different shapes the look-up is slow.
  const { run: decide } = guard;
  const run = (input: unknown, bus: View): unknown => {
    const answer: unknown = decide.call(guard, input, bus);
    if (!isPlain(answer)) return whenSettled(answer, () => copy(bus));
    copy(bus);
    return answer;
  };
  const reads = [...(guard.reads ?? []), Answered];
  return { ...within, transition: derived(guard, { run: run as AnyGuard["run"], reads }) };
}

type View = BusView<AnyKey, AnyKey, AnyKey, AnyKey>;

interface WrittenHeader {
  readonly key: AnyKey;
  readonly textOf: (written: never) => string | undefined;
  readonly added: AddedHeader;
}

function declared({ transition }: StepDefinition, inner: ReadonlySet<string>) {
  const { kind, responseHeaders, observer, writes = [], mayWrite = [] } = transition as AnyGuard;
  const by = kind === "guard" ? "guard" : "step";
  const all: readonly WrittenHeader[] = (responseHeaders?.written ?? []).map(({ key, name, textOf }) => {
    // A header for any response must not describe the body.
    const lowered = settableHeader(settableHeader(name, by), "guard");
    return { key, textOf, added: { name: lowered, begin: `\r\n${lowered}: ` } };
  });
  const own: readonly AnyKey[] = [...writes, ...mayWrite];
  return {
    headers: all.filter(({ added }) => !inner.has(added.name)),
    kept: kind === "guard" ? (observer?.reads ?? []).filter((key) => own.includes(key)) : [],
  };
}

/** Wraps the inner steps. Returns `step` if it has none. */
function innerHeaderSteps(step: StepDefinition, inner: ReadonlySet<string>): StepDefinition {
  const { body, branches } = step;
  if (body.kind === "function" && branches.size === 0) return step;
  const wrapped = (axon: AxonDefinition): AxonDefinition => ({
    ...axon,
    steps: axon.steps.map((each) => headerStep(each, inner)),
  });
  const wrappedBody = (): StepBody => {
    if (body.kind === "subgraph") return { ...body, axon: wrapped(body.axon) };
    if (body.kind === "parallel")
      return { ...body, steps: body.steps.map((each) => headerStep(each, inner)) };
    return body;
  };
  return {
    ...step,
    body: wrappedBody(),
    branches: new Map([...branches].map(([id, axon]) => [id, wrapped(axon)])),
  };
}
