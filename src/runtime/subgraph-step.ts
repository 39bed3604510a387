import { inFork } from "./fork.js";
import type { Instruction } from "./instruction.js";
import { type Part, runPart } from "./part.js";
import type { Program } from "./program.js";

/** An Axon as one step, where it cannot stand in its Axon's own line: it is tried again, or has a time limit. */
export const subgraphStep = (program: Program, part: Part): Instruction["step"] => ({
  run: (input, bus) => inFork(bus.state, "shared", (fork) => runPart(program, part, input, fork)),
});
