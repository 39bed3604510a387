// The steps of a replay: those that run, and those whose stored outcome is given back.

import { AsyncLocalStorage } from "node:async_hooks";

import { type Clock, MAX_TIMER_MS } from "#core/clock.js";
import type { RunOwner } from "../kept/appended.js";
import { pendingOf } from "../run/answers.js";
import type { RunBus, RunState } from "../run/run-state.js";
import { refusingEffects } from "./refused-effects.js";
import type { ReplayJournal } from "./replay-journal.js";
import type { Treatments } from "./replayed-axon.js";

const replays = new AsyncLocalStorage<ReplayJournal>();

/** Resolves to the outcome of the run. */
export const replaying = (journal: ReplayJournal, run: () => unknown): Promise<unknown> =>
  replays.run(journal, async () => run());

/** The journal of the replay that calls a step. */
const current = (): ReplayJournal => replays.getStore() as ReplayJournal;

const stateOf = (bus: unknown): RunState => (bus as RunBus).state;

export const treatments: Treatments = {
  run:
    (node, step, call) =>
    (...args) => {
      const journal = current();
      if (journal.lost !== undefined) return journal.lost;
      const { reads = [], mayRead = [] } = step;
      const missing =
        reads.length + mayRead.length === 0 ? undefined : journal.supply(node, step, stateOf(args.at(-1)));
      if (missing !== undefined) return missing;
      journal.ran.push(node);
      const onRefused = ({ call: what }: { readonly call: string }): void => {
        journal.refuse("REPLAY_EFFECT", node, `it called ${what}, and is not declared as an effect`);
      };
      const answer = refusingEffects({ node, at: journal.time, onRefused }, () => call(...args));
      // The step may have caught the refusal.
      return pendingOf(answer)?.then((settled) => journal.lost ?? settled) ?? journal.lost ?? answer;
    },
  give: (node, step, written) => (_, bus) => current().give(node, step, written, stateOf(bus)),
  recorded:
    (node, { writes = [], mayWrite = [] }, part) =>
    (_, bus) =>
      current().giveRecorded(node, part, [...writes, ...mayWrite], stateOf(bus)),
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
    const error = current().refusedStart;
    return error === undefined ? { kind: "known", runId } : { kind: "refused", error };
  },
};
