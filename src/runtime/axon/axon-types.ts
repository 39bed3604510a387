// Types about an Axon: any Axon, the values on its Bus, the environments it can run in.

import type { NameOfKey } from "#core/bus/bus-key.js";
import type { Axon } from "./axon.js";
import type { ErrorsOf, Finished, InOf, NeedsOf, OutOf } from "./axon-flow.js";

export type AnyAxon = Axon<any, any, any, any, any, any, any, any, any>;

export type HasOf<A> = A extends Axon<any, any, any, any, infer Has, any, any, any, any> ? Has : never;

/** An Axon's type in words, for a hover: `type Info = AxonInfo<typeof axon>`. */
export interface AxonInfo<A extends AnyAxon> {
  readonly input: InOf<A>;
  readonly output: OutOf<A>;
  readonly faults: ErrorsOf<A>;
  readonly needs: NameOfKey<NeedsOf<A>>;
}

/** The Axon's type if it can run with `Provided`, else the reason, for the compiler to show. */
export type Runnable<A extends AnyAxon, Provided> =
  A extends Axon<any, any, any, infer Needs, any, infer Open, infer Jumps, infer Labels, any>
    ? [Exclude<Needs, Provided>] extends [never]
      ? Finished<Open, Jumps, Labels, A>
      : Unprovided<NameOfKey<Exclude<Needs, Provided>>>
    : never;

type Unprovided<Name extends string> = Name extends `param:${infer Parameter}`
  ? `nothing provides '${Name}': the path has no ':${Parameter}'`
  : Name extends `label:${infer Label}`
    ? `a step sets the label '${Label}', which no withLabels declares`
    : Name extends `run:${string}`
      ? "a step awaits a run that no step before it has begun: add startRun(axon) in front of awaitRun(axon)"
      : `nothing provides '${Name}': list it in 'resources', set it in an earlier step, or add the guard that sets it before this route`;
