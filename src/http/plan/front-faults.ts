// Marks faults of guards and layers before an Axon: its `onFault` must not get them, because the Axon
// does not declare their types. Only routes with an `onFault` use this.

import { copyOfFault, Fault, isFault } from "#core/bus/outcome.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { Front } from "#runtime/definition/mounted.js";
import { pendingOf } from "#runtime/run/answers.js";
import { derived } from "../refusal/derived.js";

/** A copy of a fault, because a guard may return the same object in all runs. */
export class FrontFault extends Fault<unknown> {}

export const telling = ({ guards, layers }: Front): Front => ({
  guards: guards.map(tellingGuard),
  layers: layers.map(tellingLayer),
});

export function tellingGuard(guard: AnyGuard): AnyGuard {
  const run = (...args: Parameters<AnyGuard["run"]>): unknown => settled(guard.run(...args), told);
  return derived(guard, { run: run as AnyGuard["run"] });
}

/** A fault that `next` returned is not a fault of the layer. */
function tellingLayer(layer: AnyLayer): AnyLayer {
  const run: AnyLayer["run"] = (bus, next) => {
    let passedOn: unknown;
    const watched = (): unknown =>
      settled(next(), (outcome) => {
        passedOn = outcome;
        return outcome;
      });
    return settled(layer.run(bus, watched), (outcome) => (outcome === passedOn ? outcome : told(outcome)));
  };
  return derived(layer, { run });
}

const told = (outcome: unknown): unknown =>
  isFault(outcome) ? copyOfFault(outcome, FrontFault.prototype) : outcome;

const settled = (outcome: unknown, of: (settled: unknown) => unknown): unknown =>
  pendingOf(outcome)?.then(of) ?? of(outcome);
