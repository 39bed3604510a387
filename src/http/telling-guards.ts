// What guards write becomes headers of the answer, whatever that will be, and reaches who
// is told of it. Only guards that declare such headers, or such an observer, pay for it.

import type { BusView } from "#core/bus.js";
import type { AnyKey } from "#core/bus-key.js";
import { namedKey } from "#core/bus-key.js";
import type { AnyGuard } from "#core/guard.js";
import { settableHeader } from "#core/settable-header.js";
import { pendingOf } from "#runtime/answers.js";
import type { AxonDefinition, StepDefinition } from "#runtime/axon-definition.js";
import { altered } from "./altered.js";
import { isAddedTo } from "./answer-heads.js";
import type { Exchange } from "./native/exchange.js";

/** The request that is answered. Read by nobody else: it is not drawn. */
export const Answered = namedKey<Exchange, "framework:answered">("framework:answered");

/** The Axon, whose guards tell it. Throws HEADER_INVALID for a header that is not theirs. */
export function tellingGuards(axon: AxonDefinition): AxonDefinition {
  const all = [...axon.guards, ...axon.steps];
  const telling = all.map((step, i) => tellingStep(step, constantNames(all.slice(i + 1))));
  const inFront = axon.guards.length;
  return { ...axon, guards: telling.slice(0, inFront), steps: telling.slice(inFront) };
}

/** The headers that guards among the steps have on every answer, and alone. */
function constantNames(steps: readonly StepDefinition[]): ReadonlySet<string> {
  const guards = steps.map(({ transition }) => transition as AnyGuard).filter(({ kind }) => kind === "guard");
  const names = guards.flatMap(({ responseHeaders }) => Object.keys(responseHeaders?.always ?? {}));
  return new Set(names.map((name) => name.toLowerCase()).filter((name) => !isAddedTo(name)));
}

/** `inner` are the headers on which a guard further in has the last word. */
function tellingStep(step: StepDefinition, inner: ReadonlySet<string>): StepDefinition {
  const guard = step.transition as AnyGuard;
  if (guard.kind !== "guard") return step;
  const written = (guard.responseHeaders?.written ?? []).map(({ key, name, textOf }) => {
    const lowered = settableHeader(name, "guard");
    return { key, textOf, added: { name: lowered, begin: `\r\n${lowered}: ` } };
  });
  const headers = written.filter(({ added }) => !inner.has(added.name));
  const writes: readonly AnyKey[] = [...(guard.writes ?? []), ...(guard.mayWrite ?? [])];
  const kept = (guard.observer?.reads ?? []).filter((key) => writes.includes(key));
  if (headers.length + kept.length === 0) return step;
  const run = (input: unknown, bus: BusView<AnyKey, AnyKey, AnyKey, AnyKey>): unknown => {
    const tell = (verdict: unknown): unknown => {
      const exchange = bus.get(Answered);
      for (const { key, added, textOf } of headers) {
        const value = bus.find(key);
        const text = value === undefined ? undefined : textOf(value as never);
        if (text !== undefined) exchange.addHeader(added, text);
      }
      for (const key of kept) exchange.particulars.observation?.keep(key, bus.find(key));
      return verdict;
    };
    const verdict = guard.run(input, bus);
    return pendingOf(verdict)?.then(tell) ?? tell(verdict);
  };
  const reads = [...(guard.reads ?? []), Answered];
  return { ...step, transition: altered(guard, { run: run as AnyGuard["run"], reads }) };
}
