// A run can begin at any node of its Axon's line, with the input that its step takes.

import { Axon } from "framework";

export interface Cargo {
  readonly containers: readonly number[];
}

/** Long work, and the place where a machine may stop in the middle of it. */
export const unload = Axon.start<Cargo>("unload")
  .thenFn("plan", ({ containers }) => ({ tonnes: containers.reduce((sum, tonnes) => sum + tonnes, 0) }))
  .thenFn("lift", async ({ tonnes }) => ({ tonnes, lifts: Math.ceil(tonnes / 30) }))
  .thenFn("sign off", ({ tonnes, lifts }) => `${tonnes} t in ${lifts} lifts`);

/** What was noted of a run that stopped: the node that it was about to enter, and its input. */
export interface Note {
  readonly node: string;
  readonly input: unknown;
}

/** The plan was made already: the run goes on at "unload/lift". */
export const resume = ({ node, input }: Note) => unload.executeFrom(node, input);
