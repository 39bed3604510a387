// Random Axons, stopped at random appends to their log and resumed, as often as it takes.
// What they do between two entries of the log is done as one: where a run was stopped
// before the entry was there it is done again, where it was there it is not. So what is
// left, once what was lost is taken away, is what a run does that nobody stops.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import fc from "fast-check";

import { Bus } from "#core/bus/bus.js";
import { isFault } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { type RunEntry, RunId, type RunStore } from "#core/ports/run-store.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { fill } from "#runtime/axon/in-process.js";
import { resumeIn } from "#runtime/axon/resume.js";
import { Program, type ProgramOptions } from "#runtime/compile/program.js";
import type { CheckpointMode } from "#runtime/definition/axon-definition.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { type Executor, executors } from "../../support/executors.js";
import { buildAxon } from "../../support/random-axon.js";
import { type AxonPlan, axonPlan, type StepPlan } from "../../support/random-plan.js";

const RUNS = 250;
const FOREVER_MS = 1e9;
const never = (): Promise<never> => new Promise(() => {});

/** How a run is stopped: at which append, and whether that was kept. */
interface Stop {
  readonly after: number;
  readonly isKept: boolean;
  /** The store fails, rather than that the process is gone. */
  readonly fails: boolean;
  readonly isAsync: boolean;
}

const stops = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 8 }),
    isKept: fc.boolean(),
    fails: fc.boolean(),
    isAsync: fc.boolean(),
  }),
  { maxLength: 4 },
);

/** Steps that count their calls, or abort their run, would do something else the second time. */
const tamed = (steps: readonly StepPlan[]): readonly StepPlan[] =>
  steps.map((step) => {
    const body = tamed(step.body);
    if (step.kind !== "function") return { ...step, body };
    const op = step.op === "shaky" ? "fault" : step.op === "abort" || step.op === "hang" ? "next" : step.op;
    return { ...step, op, body };
  });

const plans = axonPlan.map((plan): AxonPlan => ({ ...plan, steps: tamed(plan.steps), keepsLetters: false }));

/** A store that stops runs. Marks in `effects` what is kept. */
class StoppingStore implements RunStore {
  readonly inner = new MemoryRuns();
  readonly #effects: string[];
  readonly #stops: Stop[];
  #appends = 0;
  stopped = 0;

  constructor(effects: string[], given: readonly Stop[]) {
    this.#effects = effects;
    this.#stops = [...given];
  }

  readonly append = (id: string, known: number, entries: readonly RunEntry[]) => {
    const [stop] = this.#stops;
    if (stop === undefined || this.#appends < stop.after) {
      this.#appends += 1;
      const answer = this.#keep(id, known, entries);
      return stop?.isAsync === true ? Promise.resolve(answer) : answer;
    }
    this.#stops.shift();
    this.#appends = 0;
    this.stopped += 1;
    if (stop.isKept) this.#keep(id, known, entries);
    if (!stop.fails) return never();
    if (stop.isAsync) return Promise.reject(new Error("away"));
    throw new Error("away");
  };

  #keep(id: string, known: number, entries: readonly RunEntry[]): boolean {
    const answer = this.inner.append(id, known, entries) === true;
    this.#effects.push(`-- ${entries.map(({ kind }) => kind)} ${answer}`);
    return answer;
  }

  readonly read = (id: string) => this.inner.read(id);
  readonly unfinished = this.inner.unfinished;
  readonly remove = this.inner.remove;
  readonly forget = this.inner.forget;
  readonly beat = this.inner.beat;
  readonly leave = this.inner.leave;
}

interface Told {
  readonly stopped: number;
  readonly outcome: unknown;
  /** What was done between entries of the log, in any order. */
  readonly segments: readonly (readonly string[])[];
}

async function told(
  plan: AxonPlan,
  input: number,
  executor: Executor,
  given: readonly Stop[],
): Promise<Told> {
  const effects: string[] = [];
  const clock = new ManualClock();
  const store = new StoppingStore(effects, given);
  const axon = buildAxon(plan, { effects, abort: () => {}, clock, letters: { send: () => {} } });
  const durable = (axon as AnyAxon).withPersistenceStore(store) as AnyAxon;
  const options = { ...executor.options, clock, reporter: () => {} };
  const { around, ...bare } = options;
  const program = (resumed = false): Program => {
    // Layers stand around it where an ingress mounts it, which makes its input too; not where it is resumed.
    const isInside = around !== undefined && !resumed;
    const made = new Program(
      durable.definition,
      isInside ? { ...bare, around, input: { run: () => input } } : bare,
    );
    if (executor.level !== undefined) made.watch?.watch(executor.level);
    return made;
  };
  const stoppedBefore = (running: unknown): Promise<unknown> =>
    Promise.race([running, clock.advance(FOREVER_MS).then(() => "stopped")]);

  const first = program();
  const state = first.acquire();
  fill(state, Bus.of([[RunId, "run"]]) as never);
  let outcome = await stoppedBefore(first.run(input, state));
  for (let resumed = 0; store.inner.unfinished().length > 0 || isFailed(outcome); resumed += 1) {
    assert.ok(resumed < 20, "it never ends");
    if (store.inner.read("run").length === 0) {
      // It was stopped before it had begun.
      forget(effects);
      const again = program();
      const fresh = again.acquire();
      fill(fresh, Bus.of([[RunId, "run"]]) as never);
      outcome = await stoppedBefore(again.run(input, fresh));
      continue;
    }
    forget(effects);
    outcome = await stoppedBefore(resumeIn(program(true), "run"));
  }
  const segments: string[][] = [[]];
  for (const effect of effects)
    if (!effect.startsWith("--")) segments.at(-1)?.push(effect);
    else if (effect.startsWith("-- resumed")) continue;
    else segments.push([]);
  const { stopped } = store;
  return { stopped, outcome: readable(outcome), segments: segments.map((segment) => segment.sort()) };
}

/** The log of a run that nobody stops, and what it comes to. */
async function logged(
  plan: AxonPlan,
  input: number,
  checkpoint: CheckpointMode,
): Promise<{ readonly log: readonly RunEntry[]; readonly outcome: unknown }> {
  const runs = new MemoryRuns();
  const outcome = await ranIn(plan, runs, checkpoint, (axon, options) => {
    const program = new Program(axon.definition, options);
    const state = program.acquire();
    fill(state, Bus.of([[RunId, "run"]]) as never);
    return program.run(input, state);
  });
  return { log: runs.read("run"), outcome };
}

/** What a run comes to of which so much is left. */
async function resumedFrom(
  log: readonly RunEntry[],
  plan: AxonPlan,
  checkpoint: CheckpointMode,
): Promise<unknown> {
  const runs = new MemoryRuns();
  runs.append("run", 0, log);
  const outcome = await ranIn(plan, runs, checkpoint, (axon, options) =>
    resumeIn(new Program(axon.definition, options), "run"),
  );
  assert.equal(runs.unfinished().length, 0);
  return outcome;
}

async function ranIn(
  plan: AxonPlan,
  runs: RunStore,
  checkpoint: CheckpointMode,
  run: (axon: AnyAxon, options: ProgramOptions) => unknown,
): Promise<unknown> {
  const clock = new ManualClock();
  const axon = buildAxon(plan, { effects: [], abort: () => {}, clock, letters: { send: () => {} } });
  const kept = axon.withPersistenceStore(runs, { checkpoint }) as AnyAxon;
  const running = run(kept, { clock, reporter: () => {} });
  await clock.advance(FOREVER_MS);
  return readable(await running);
}

/** What was done behind the last entry is lost. */
function forget(effects: string[]): void {
  const last = effects.findLastIndex((effect) => effect.startsWith("--"));
  effects.splice(last + 1);
}

const isFailed = (outcome: unknown): boolean =>
  outcome === "stopped" ||
  (isFault(outcome) && (outcome.error as Partial<RuntimeFault>)?.code === "CHECKPOINT_FAILED");

function readable(outcome: unknown): unknown {
  if (!isFault(outcome)) return outcome;
  const error = outcome.error as RuntimeFault;
  if (typeof error !== "object") return error;
  return error.code === "TRANSITION_PANIC" ? `panic ${error.step} ${error.cause}` : { ...error };
}

describe("a run that is stopped and resumed", () => {
  const layer = { name: "around", run: (_: unknown, next: () => unknown) => next() };
  const inLayers = executors
    .filter(({ name }) => /^(loop|traced)$/.test(name))
    .map(({ name, options, ...rest }) => ({
      ...rest,
      name: `${name}, in a layer`,
      options: { ...options, around: [layer, layer] },
    }));
  // Of all executors together: of what is rare one alone may see next to nothing.
  const seen = { stopped: 0, undone: 0, told: 0, merged: 0, faults: 0 };
  let runs = 0;
  after(() => {
    for (const [what, times] of Object.entries(seen))
      assert.ok(times > runs / 100, `${what}: ${times} of ${runs} runs`);
  });
  for (const executor of [...executors, ...inLayers])
    test(`comes to what it would have, and does nothing twice that was kept: ${executor.name}`, async () => {
      runs += RUNS;
      await fc.assert(
        fc.asyncProperty(plans, fc.integer({ min: 0, max: 5 }), stops, async (plan, input, given) => {
          const whole = await told(plan, input, executor, []);
          const { stopped, ...rest } = await told(plan, input, executor, given);
          assert.deepEqual({ stopped: 0, ...rest }, whole);
          if (stopped === 0) return;
          const all = whole.segments.flat();
          const has = (what: string): number => (all.some((effect) => effect.startsWith(what)) ? 1 : 0);
          seen.stopped += 1;
          seen.undone += has("undo");
          seen.told += has("told");
          seen.merged += has("merge");
          seen.faults += typeof whole.outcome === "number" ? 0 : 1;
        }),
        { numRuns: RUNS },
      );
    });

  for (const checkpoint of ["sync", "async", "none"] as const)
    test(`comes to the same from each entry of its log, with checkpoint '${checkpoint}'`, async () => {
      let entries = 0;
      await fc.assert(
        fc.asyncProperty(plans, fc.integer({ min: 0, max: 5 }), async (plan, input) => {
          const { log, outcome } = await logged(plan, input, checkpoint);
          entries += log.length;
          for (let left = 1; left <= log.length; left += 1)
            assert.deepEqual(
              await resumedFrom(log.slice(0, left), plan, checkpoint),
              outcome,
              `${left} entries`,
            );
        }),
        { numRuns: 100 },
      );
      // 165 to 380 are usual: four of five plans are kept, with two entries or more.
      assert.ok(entries > 80, `${entries} entries`);
    });
});
