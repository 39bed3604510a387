import { randomBytes } from "node:crypto";

/** Distinguishes the runs of this process from those of others. */
const PROCESS = randomBytes(5).toString("hex");

let last = 0;

/** The number of the next run that is traced in this process. */
export function nextRunNumber(): number {
  last += 1;
  return last;
}

export const runIdOf = (id: number): string => `${PROCESS}-${id.toString(36)}`;

const RUN_ID = /^[0-9a-f]{10}-[0-9a-z]{1,11}$/;

/** A stored value may be anything. */
export const isRunId = (stored: unknown): stored is string =>
  typeof stored === "string" && RUN_ID.test(stored);
