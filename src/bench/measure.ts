// Measures all benchmarks in rounds. Each is measured twice a round, the second time as its own
// control: what both differ by is noise. A measurement has a process of its own, so that what V8
// has learned from one does not slow the next.

import { Child, ChildFailed } from "./child.js";
import type { Listed, Listing } from "./listed.js";
import { measuredRoute } from "./measured-route.js";
import type { Sampled } from "./sample.js";
import { WEIGHING_FLAGS } from "./weighed-run.js";

const PATIENCE_MS = 60_000;

export interface MeasureOptions {
  /** Arguments of Node.js that start src/cli/commands/bench-process.ts for the file. */
  readonly args: readonly string[];
  readonly rounds: number;
  /** Of each measurement. */
  readonly seconds: number;
  /** To a route. */
  readonly connections: number;
  readonly progress: (text: string) => void;
}

/** A benchmark and what was measured of it, a list for each of its two arms. */
export interface Measured extends Listed {
  readonly arms: readonly [Sampled[], Sampled[]];
}

/** Rejects with ChildFailed where a benchmark cannot be measured. */
export async function measure(options: MeasureOptions): Promise<readonly Measured[]> {
  const { rounds, progress } = options;
  const { benchmarks, routes } = await once<Listing>(options, [], "list", {});
  const measured = benchmarks.map((one): Measured => ({ ...one, arms: [[], []] }));
  for (let round = 0; round < rounds; round += 1) {
    // Both arms at both ends of the rounds: a machine that slows down slows both.
    const turns = ([0, 1] as const).flatMap((arm) => measured.map((one) => ({ one, arm })));
    if (round % 2 === 1) turns.reverse();
    for (const { one, arm } of turns) {
      progress(`round ${round + 1} of ${rounds}: ${one.name}${arm === 1 ? " (control)" : ""}`);
      one.arms[arm].push(await sampled(one, options, round === 0, routes));
    }
  }
  return measured;
}

async function sampled(
  { kind, name }: Listed,
  options: MeasureOptions,
  isFirst: boolean,
  routes: readonly string[],
): Promise<Sampled> {
  const { seconds, connections, args } = options;
  try {
    if (kind === "route") return await measuredRoute(() => new Child(args), { name, seconds, connections });
    const timed = await once<Sampled>(options, [], "time", { name, seconds });
    // They are the same in each round.
    if (!isFirst) return timed;
    return { ...timed, ...(await once<Sampled>(options, WEIGHING_FLAGS, "weigh", { name })) };
  } catch (error) {
    if (!(error instanceof ChildFailed)) throw error;
    const served = /responds with 40[45]/.test(error.message)
      ? `\n  the ingress serves ${routes.join(", ")}`
      : "";
    throw new ChildFailed(`${name} cannot be measured: ${error.message}${served}`);
  }
}

/** Asks a process of its own. */
async function once<Answer>(
  { args, seconds }: MeasureOptions,
  flags: readonly string[],
  question: string,
  given: object,
): Promise<Answer> {
  const child = new Child([...flags, ...args]);
  try {
    return await child.ask<Answer>(question, given, PATIENCE_MS + 10_000 * seconds);
  } finally {
    await child.stop();
  }
}
