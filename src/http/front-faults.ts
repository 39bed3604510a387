// Whose a fault is. A route's `onFault` is typed by the faults of its Axon, so it is not
// asked of those that guards and layers in front of it answer. Only routes with an
// `onFault` pay for the difference.

import type { AnyGuard } from "#core/guard.js";
import type { AnyLayer } from "#core/layer.js";
import { Fault, isFault } from "#core/outcome.js";
import { pendingOf } from "#runtime/answers.js";
import type { Front } from "#runtime/mounted.js";
import { altered } from "./altered.js";

/** A fault that a guard or a layer answered. Made anew: theirs may be one for all their runs, and for other Axons. */
export class FrontFault extends Fault<unknown> {}

/** The same front, whose faults are told from those of the Axon. */
export const telling = ({ guards, layers }: Front): Front => ({
  guards: guards.map(tellingGuard),
  layers: layers.map(tellingLayer),
});

export function tellingGuard(guard: AnyGuard): AnyGuard {
  const run = (...args: Parameters<AnyGuard["run"]>): unknown => settled(guard.run(...args), told);
  return altered(guard, { run: run as AnyGuard["run"] });
}

/** What comes out of `next` is the Axon's, or told already. */
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
  return altered(layer, { run });
}

const told = (outcome: unknown): unknown => (isFault(outcome) ? new FrontFault(outcome.error) : outcome);

const settled = (outcome: unknown, of: (settled: unknown) => unknown): unknown =>
  pendingOf(outcome)?.then(of) ?? of(outcome);
