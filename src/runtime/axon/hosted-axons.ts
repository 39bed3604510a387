// The kept Axons that this process serves. A run that the program begins or re-drives is the host's:
// if the process ends, another host resumes it.

import type { Bus } from "#core/bus/bus.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { declaredAs } from "../definition/mounted-runs.js";
import type { RunOwner } from "../kept/appended.js";

export interface Hosting {
  readonly host: RunOwner & { readonly resources: Bus };
  readonly clock: Clock;
  readonly reporter: Reporter;
}

export class HostedAxon {
  /** As it is mounted, with its stores. */
  readonly axon: AxonDefinition;
  readonly #of: Hosting;
  #program: Program | undefined;

  constructor(axon: AxonDefinition, of: Hosting) {
    this.axon = axon;
    this.#of = of;
  }

  get host(): Hosting["host"] {
    return this.#of.host;
  }

  get program(): Program {
    const { host: owner, clock, reporter } = this.#of;
    this.#program ??= new Program(this.axon, { reporter, clock, owner, isTold: true });
    return this.#program;
  }
}

/** By Axon, as declared and as mounted. Several servers of one process may serve one Axon. */
const hosted = new WeakMap<AxonDefinition, Set<HostedAxon>>();

/** Returns a function that ends it. */
export function hostAxon(axon: AxonDefinition, of: Hosting): () => void {
  const one = new HostedAxon(axon, of);
  const names = new Set([axon, declaredAs(axon)]);
  for (const name of names) hosted.set(name, (hosted.get(name) ?? new Set()).add(one));
  return () => {
    for (const name of names) hosted.get(name)?.delete(one);
  };
}

/** Of several servers that which began last; undefined if none serves the Axon. */
export const hostedAxon = (axon: AxonDefinition): HostedAxon | undefined =>
  [...(hosted.get(axon) ?? [])].at(-1);
