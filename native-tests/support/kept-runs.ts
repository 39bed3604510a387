// Runs that are kept: a store that can be made to misbehave, and Axons of noted steps.

import assert from "node:assert/strict";

import { Bus } from "#core/bus/bus.js";
import { busKey } from "#core/bus/bus-key.js";
import { isFault } from "#core/bus/outcome.js";
import type { Report } from "#core/bus/reporter.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { type RunEntry, RunId, type RunStore } from "#core/ports/run-store.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { fill } from "#runtime/axon/in-process.js";
import { resumeIn } from "#runtime/axon/resume.js";
import type { ResumeOptions } from "#runtime/axon/resume-options.js";
import { Program } from "#runtime/compile/program.js";
import type { RunOwner } from "#runtime/kept/appended.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import type { Intervention } from "#runtime/run/intervention.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { RunControl } from "#runtime/run/run-control.js";
import type { Executor } from "./executors.js";

export const Db = busKey<{ readonly name: string }>()("Db");
export const Note = busKey<string>()("Note");

export const never = (): Promise<never> => new Promise(() => {});
export const codeOf = (outcome: unknown): string => {
  assert.ok(isFault(outcome), `a fault, not ${JSON.stringify(outcome)}`);
  return (outcome.error as RuntimeFault).code;
};

/** A host that does nothing but own runs. */
export const ownerOf = (id: string): RunOwner => ({
  id,
  isOver: false,
  begun: () => {},
  lost: () => {},
  wrote: () => {},
});

/** Resumes a run that has stopped, as another process would: in this one it hangs. */
export const taken = <A extends Pick<AnyAxon, "resume">>(
  axon: A,
  id: string,
  bus?: Bus<any>,
  signal?: AbortSignal,
  by?: Intervention,
): ReturnType<A["resume"]> => axon.resume(id, bus, signal, by, { force: true }) as ReturnType<A["resume"]>;

/** The same store, as another process has it: runs at work here are not known there. */
export const elsewhere = <S extends RunStore>(store: S): S => Object.create(store) as S;

/** A store whose appends can be made to misbehave. */
export class Runs implements RunStore {
  readonly inner = new MemoryRuns();
  /** Answers in the place of the store; undefined lets it answer itself. */
  misbehave: (known: number, entries: readonly RunEntry[]) => unknown = () => undefined;
  appends = 0;

  append(id: string, known: number, entries: readonly RunEntry[], by?: string) {
    this.appends += 1;
    const answer = this.misbehave(known, entries);
    return answer === undefined ? this.inner.append(id, known, entries, by) : (answer as boolean);
  }
  readonly read = this.inner.read;
  readonly unfinished = this.inner.unfinished;
  readonly remove = this.inner.remove;
  readonly forget = this.inner.forget;
  readonly beat = this.inner.beat;
  readonly leave = this.inner.leave;
  readonly ownership = this.inner.ownership;
  readonly requestCancel = this.inner.requestCancel;

  kinds(id = "run"): readonly string[] {
    return this.inner.read(id).map(({ kind }) => kind);
  }
  last(id = "run"): RunEntry | undefined {
    return this.inner.read(id).at(-1);
  }
}

interface Given {
  readonly bus?: Bus<any>;
  readonly signal?: AbortSignal;
  /** "" for one that is made. */
  readonly id?: string;
}

/** What runs Axons and goes on with their runs, on a clock that the test moves. */
export const keptRuns = (executor: Executor, owner?: RunOwner) => {
  const clock = new ManualClock();
  const runs = new Runs();
  const reports: Report[] = [];
  const options = {
    ...executor.options,
    clock,
    newId: () => "made",
    owner,
    reporter: (report: Report) => void reports.push(report),
  };
  const programOf = (axon: AnyAxon): Program => {
    const program = new Program(axon.definition, options);
    if (executor.level !== undefined) program.watch?.watch(executor.level);
    return program;
  };
  const start = (axon: AnyAxon, input: unknown, { bus, signal, id = "run" }: Given = {}): unknown => {
    const program = programOf(axon);
    const state = program.acquire();
    fill(state, Bus.of([...(bus?.entries ?? []), ...(id === "" ? [] : [[RunId, id]])] as never) as never);
    if (signal === undefined) return program.run(input, state);
    state.control = new RunControl();
    state.control.follow(signal);
    return program.run(input, state);
  };
  const resume = (axon: AnyAxon, id = "run", bus?: Bus<any>, as: ResumeOptions = {}): Promise<unknown> =>
    // As another process: here the run may be at work.
    resumeIn(programOf(axon), id, { bus: bus as Bus, force: true, ...as });
  return { clock, runs, reports, start, resume, programOf };
};
/** An Axon of named steps: each notes its call, and adds 1; `hangAt` never answers. */
export const lineOf = (
  runs: Runs,
  names: readonly string[],
  world: { calls: string[]; hangAt?: string },
): AnyAxon => {
  let axon = Axon.start<number>("s").withPersistenceStore(runs) as unknown as AnyAxon;
  for (const name of names)
    axon = axon.thenFn(name, ((n: number) => {
      world.calls.push(`${name} ${n}`);
      return world.hangAt === name ? never() : n + 1;
    }) as never) as unknown as AnyAxon;
  return axon;
};

/** The same store, whose answers come when `until` is there: that a run begins at once. */
export const slow = (runs: Runs, until: Promise<unknown> = Promise.resolve()): RunStore =>
  Object.assign(Object.create(runs) as Runs, {
    append: async (...args: Parameters<RunStore["append"]>) => {
      if (args[1] > 0) await until;
      return runs.append(...args);
    },
  });
