import { randomBytes } from "node:crypto";

/** Tells the runs of this process from those of others. */
const PROCESS = randomBytes(5).toString("hex");

/** Of a run by its number in this process: unique among processes, fit for a URL. */
export const runIdOf = (id: number): string => `${PROCESS}-${id.toString(36)}`;
