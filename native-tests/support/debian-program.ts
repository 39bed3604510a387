import { findProgram } from "../../examples/cluster/programs.js";

export { findProgram };

/** For a test's `skip`: false where the program is there, else what is missing. */
export const skipWithout = (name: string): string | false =>
  findProgram(name) === undefined ? `${name} is not installed` : false;
