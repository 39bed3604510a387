// Runs a kept Axon to its next entry, for a host that keeps the log itself.
//
//   AV1. What an entry is and when one is due is the Journal's and the resumption's: here is only a store
//        of one call, which collects entries and refuses the first one behind the beginning. That stops
//        the run as if another process had resumed it (J2): it undoes and ends nothing.
//   AV2. Entries of an advance are kept together or not at all. The steps of an advance whose entries
//        were lost run again; those of kept entries never do.
//   AV3. An abort is of this attempt, not of the run: nothing of it is kept, undone or sent as a dead letter.
//        The run is halted, not aborted: no step works on behind the answer.

import { fault } from "#core/bus/outcome.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { isKeptRunId, type RunEntry, type RunStore } from "#core/ports/run-store.js";
import { missingKeys, requireNoneMissing } from "../check/definite-assignment.js";
import { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { decode } from "../kept/stored-value.js";
import { RunControl } from "../run/run-control.js";
import type { Advanced, AnyOptions, LogEntry } from "./advance-types.js";
import { fill } from "./in-process.js";
import { LogOfHost, NO_WAITS } from "./log-of-host.js";
import { resumeIn } from "./resume.js";

const OPTIONS = ["runId", "input", "start", "bus", "signal", "cancel", "woken"];

/** As Axon.advance says. */
export async function advanceRun(
  axon: AxonDefinition,
  log: readonly LogEntry[],
  options: AnyOptions,
): Promise<Advanced<unknown>> {
  const call = `advance of Axon '${axon.name}'`;
  requireKnownOptions(call, options, OPTIONS);
  const { runId, bus, start, signal } = options;
  if (!isKeptRunId(runId)) throw invalidOption(call, "give 'runId' as a text of 1 to 200 characters");
  if (start !== undefined && (start.axon !== axon.name || start.runId !== runId))
    throw invalidOption(call, `'start' is of run '${start.runId}' of '${start.axon}': give the run its own`);
  const program = programOf(axon);
  const kept = new LogOfHost(axon, lastLog(log as readonly RunEntry[]), options);
  if (signal?.aborted === true) return kept.answer(undefined);
  if (log.length === 0 && options.cancel !== undefined) {
    const { reason } = options.cancel;
    return { entries: [], over: { outcome: fault(runtimeFault({ code: "RUN_CANCELLED", runId, reason })) } };
  }
  const abort = (): void => kept.abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    if (log.length === 0) return kept.answer(await begin(program, kept, options));
    const apart = { store: kept, programOf, begins: kept.begins };
    const wakes = kept.isWoken || undefined;
    return kept.answer(await resumeIn(program, runId, { watched: axon, bus, wakes, apart }));
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

function begin(program: Program, kept: LogOfHost, options: AnyOptions): unknown {
  const { runId, start, bus } = options;
  const input = start === undefined ? options.input : decode(start.input);
  const given = bus?.entries.map(([key]) => key) ?? [];
  requireNoneMissing(missingKeys(program.name, program.code, given));
  const state = program.acquire();
  if (bus !== undefined) fill(state, bus);
  state.control = new RunControl();
  const duties = state.due();
  duties.runId = runId;
  duties.tells = start?.tells ?? null;
  duties.apart = { store: kept, begins: kept.begins };
  return program.runAbortable(input, state);
}

/** A run that continued itself has its log from there on. */
const lastLog = (log: readonly RunEntry[]): readonly RunEntry[] =>
  log.slice(
    Math.max(
      0,
      log.findLastIndex(({ kind }) => kind === "begun"),
    ),
  );

const programs = new WeakMap<AxonDefinition, Program>();

function programOf(axon: AxonDefinition): Program {
  const known = programs.get(axon);
  if (known !== undefined) return known;
  const program = new Program(withoutStore(axon), { isTold: true });
  programs.set(axon, program);
  return program;
}

/** Throws CONFIG_INVALID for an Axon that cannot be advanced. */
function withoutStore(axon: AxonDefinition): AxonDefinition {
  const refuse = (why: string): never => {
    throw invalidOption(`advance of Axon '${axon.name}'`, why);
  };
  const { persistence, mode } = axon;
  if (persistence === undefined)
    return refuse("it keeps no runs: give it a store by withPersistenceStore(Stores.mounted)");
  if (mode.kind !== "local")
    return refuse(
      `a run would hold its lock '${mode.lockKey}' for one entry alone: leave withExecutionMode out, and let the host of the log run one at a time`,
    );
  const checkpoint = persistence.checkpoint === "async" ? "sync" : persistence.checkpoint;
  return { ...axon, persistence: { ...persistence, checkpoint, store: NO_RUNS } };
}

/** Stands where a program has a store. Each advance has its own. */
const NO_RUNS: RunStore = {
  waits: NO_WAITS,
  append: () => false,
  read: () => [],
  unfinished: () => [],
  remove: () => false,
  forget: () => 0,
  beat: () => {},
  leave: () => {},
};
