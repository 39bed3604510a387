// The steps of a replay: those that run, and those whose stored outcome is given back.

import { AsyncLocalStorage } from "node:async_hooks";

import { type Clock, MAX_TIMER_MS } from "#core/clock.js";
import type { RunOwner } from "../kept/appended.js";
import { pendingOf } from "../run/answers.js";
import type { RunBus, RunState } from "../run/run-state.js";
import type { GuardedStep } from "./refused-effects.js";
import type { ReplayJournal } from "./replay-journal.js";
import type { Treatments } from "./replayed-axon.js";

type Guard = (step: GuardedStep, run: () => unknown) => unknown;

interface Replaying {
  readonly journal: ReplayJournal;
  readonly refusing: Guard;
}

const replays = new AsyncLocalStorage<Replaying>();

/** Resolves to the outcome of the run. */
export async function replaying(journal: ReplayJournal, run: () => unknown): Promise<unknown> {
  // It wraps functions of Node: loaded by replays alone.
  const { refusingEffects: refusing } = await import("./refused-effects.js");
  return replays.run({ journal, refusing }, run);
}

const current = (): Replaying => replays.getStore() as Replaying;

const stateOf = (bus: unknown): RunState => (bus as RunBus).state;

export const treatments: Treatments = {
  run:
    (node, step, call) =>
    (...args) => {
      const { journal, refusing } = current();
      if (journal.lost !== undefined) return journal.lost;
      const { reads = [], mayRead = [] } = step;
      const missing =
        reads.length + mayRead.length === 0 ? undefined : journal.supply(node, step, stateOf(args.at(-1)));
      if (missing !== undefined) return missing;
      journal.ran.push(node);
      const onRefused = ({ call: what }: { readonly call: string }): void => {
        journal.refuse("REPLAY_EFFECT", node, `it called ${what}, and is not declared as an effect`);
      };
      const answer = refusing({ node, at: journal.time, onRefused }, () => call(...args));
      // The step may have caught the refusal.
      return pendingOf(answer)?.then((settled) => journal.lost ?? settled) ?? journal.lost ?? answer;
    },
  give: (node, step, written) => (_, bus) => current().journal.give(node, step, written, stateOf(bus)),
  recorded:
    (node, { writes = [], mayWrite = [] }, part) =>
    (_, bus) =>
      current().journal.giveRecorded(node, part, [...writes, ...mayWrite], stateOf(bus)),
};

const nothing = (): void => {};

/** Waits of retries take no time; limits of days are those of parts, which end by themselves. */
export const CLOCK: Clock = {
  now: () => 0,
  after(ms, then) {
    if (ms > MAX_TIMER_MS / 4) return nothing;
    const soon = setImmediate(then);
    return () => clearImmediate(soon);
  },
};

/** A run that another run begins is begun already, or was refused: its log says which. */
export const OWNER: RunOwner = {
  ...{ id: "replay", isOver: false, begun: nothing, lost: nothing, wrote: nothing },
  startRun: async (_axon, _input, { runId }) => {
    const error = current().journal.refusedStart;
    return error === undefined ? { kind: "known", runId } : { kind: "refused", error };
  },
};
