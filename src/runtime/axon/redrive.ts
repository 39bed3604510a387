import { Bus } from "#core/bus/bus.js";
import { type Fault, isFault } from "#core/bus/outcome.js";
import { isRuntimeFault, takenRun } from "#core/bus/runtime-fault.js";
import { type Clock, systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { DeadLetter, DeadLetterStore } from "#core/ports/dead-letter.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { requireOwnRuns } from "../definition/mounted-runs.js";
import { causeIn } from "../execute/run-ending.js";
import { BY_PROGRAM, type Intervention, recorded } from "../run/intervention.js";
import type { AnyAxon } from "./axon-types.js";
import { type HostedAxon, hostedAxon } from "./hosted-axons.js";
import { type LetterEntry, programOf, redriveLetter, requireEntry } from "./in-process.js";
import { type FoundRun, foundRun, redriveRunId, runOfLetter } from "./kept-redrive.js";
import { claimLetter, leaseRun } from "./letter-claim.js";
import { resumeIn } from "./resume.js";

export interface BegunRun {
  readonly trace?: TraceMark;
  readonly runId?: string;
}

interface Run extends BegunRun {
  readonly outcome: unknown;
}

/** The result of a re-drive. */
export type Redriven =
  | ({ readonly kind: "done" } & Run)
  /** It failed again: the letter is updated with the node, the input and the number of failures. */
  | ({ readonly kind: "failed" } & Run)
  | { readonly kind: "unknown" }
  /** Parts of its values could not be stored (`lost`): it cannot be re-driven, only discarded. */
  | { readonly kind: "incomplete"; readonly lost: readonly string[] }
  /** The run undid these nodes, and a run must not or cannot begin at the first of them, for this reason: `skipUndone` begins after them. */
  | { readonly kind: "would_skip"; readonly undone: readonly string[]; readonly reason: string }
  /** The re-drive could not be recorded, and the Axon's audit log is set to refuse (AUDIT_FAILED). */
  | { readonly kind: "unrecorded" }
  /** A re-drive is running, in this process or another, or the lock of the Axon is held. The letter does not change. */
  | { readonly kind: "busy" };

const atWork = new WeakMap<DeadLetterStore, Set<string>>();

export interface RedriveOptions {
  /**
   * True: the run begins at the step that failed, and steps that the failed run undid stay undone.
   * Default false: it begins at the first step that was undone, with that step's input; if it cannot
   * begin there, no step runs and the result is `would_skip`.
   */
  readonly skipUndone?: boolean;
}

/**
 * Re-drives a dead letter: runs the Axon from the step that failed, with its input, or from the
 * first step that the failed run undid; or runs the compensation that failed. `intervention` names
 * the actor, for the audit log of the Axon. On success the letter is removed.
 */
export const redrive = (
  store: DeadLetterStore,
  id: string,
  axon: AnyAxon,
  bus?: Bus,
  intervention: Intervention = BY_PROGRAM,
  options: RedriveOptions = {},
): Promise<Redriven> => redriveOn(store, id, axon.definition, bus, intervention, options);

export interface RedriveFilter extends RedriveOptions {
  /** Letters of this node only. */
  readonly node?: string;
  /** Maximum number of letters, the earliest failure first. Default 100. */
  readonly limit?: number;
}

/**
 * Re-drives the letters of an Axon one after another, and yields each result: leave the loop to
 * stop. A letter that fails again keeps its place; the list is read once.
 */
export async function* redriveAll(
  store: DeadLetterStore,
  axon: AnyAxon,
  { skipUndone, ...filter }: RedriveFilter = {},
  bus?: Bus,
  intervention?: Intervention,
): AsyncGenerator<{ readonly id: string } & Redriven> {
  const letters = await store.list({ ...filter, axon: axon.name });
  const options = skipUndone === undefined ? {} : { skipUndone };
  for (const { id } of letters) yield { id, ...(await redrive(store, id, axon, bus, intervention, options)) };
}

/** As above, for a mounted Axon. `begun` is called with the run before it has ended. */
export async function redriveOn(
  store: DeadLetterStore,
  id: string,
  axon: AxonDefinition,
  bus: Bus | undefined,
  intervention: Intervention,
  { skipUndone = false }: RedriveOptions,
  begun: (run: BegunRun) => void = () => {},
  clock: Clock = systemClock,
): Promise<Redriven> {
  const busy = atWork.get(store) ?? new Set();
  atWork.set(store, busy);
  if (busy.has(id)) return { kind: "busy" };
  busy.add(id);
  try {
    const hosted = hostedAxon(axon);
    const values =
      hosted === undefined
        ? bus
        : Bus.of([...hosted.host.resources.entries, ...(bus?.entries ?? [])] as never);
    const of = { store, id, axon: hosted?.axon ?? axon, bus: values, intervention, skipUndone, begun, clock };
    return await redriveLetterOf(of, hosted);
  } finally {
    busy.delete(id);
  }
}

interface OneRedrive {
  readonly store: DeadLetterStore;
  readonly id: string;
  readonly axon: AxonDefinition;
  readonly bus: Bus | undefined;
  readonly intervention: Intervention;
  readonly skipUndone: boolean;
  readonly begun: (run: BegunRun) => void;
  readonly clock: Clock;
}

async function redriveLetterOf(of: OneRedrive, hosted: HostedAxon | undefined): Promise<Redriven> {
  const letter = await of.store.get(of.id);
  if (letter === undefined) return { kind: "unknown" };
  // The log of a run claims it; a compensation has none.
  const runs = letter.kind === "step" ? of.axon.persistence?.store : undefined;
  return runs === undefined ? redriveClaimed(of) : redriveKept(of, letter, runs, hosted);
}

async function redriveClaimed(of: OneRedrive): Promise<Redriven> {
  const claim = await claimLetter(of.store, of.id, of.clock);
  if (claim === undefined) return { kind: "busy" };
  try {
    // Another process may have re-driven it since.
    const letter = await of.store.get(of.id);
    if (letter === undefined) return { kind: "unknown" };
    const driven = await drive(of, letter, programOf(of.axon));
    return "kind" in driven ? driven : await concluded(of, letter, driven);
  } finally {
    await claim.end();
  }
}

async function redriveKept(
  of: OneRedrive,
  letter: DeadLetter,
  runs: RunStore,
  hosted: HostedAxon | undefined,
): Promise<Redriven> {
  requireOwnRuns(of.axon);
  const runId = redriveRunId(letter);
  const known = await runOfLetter(runs, letter);
  if (known?.kind === "ended") return concluded(of, letter, known);
  if (known?.isFree === false) return { kind: "busy" };
  // A run without an owner would be left for ever with its process.
  const lease = hosted === undefined ? await leaseRun(runs, of.clock) : undefined;
  try {
    const program = hosted?.program ?? new Program(of.axon, { isTold: true, owner: lease?.owner });
    const driven =
      known === undefined ? await drive(of, letter, program, runId) : await resumed(of, program, known);
    if ("kind" in driven) return driven;
    const drivenId = known?.id ?? runId;
    const after = isFault(driven.outcome) ? await foundRun(runs, drivenId) : undefined;
    if (after?.kind === "unfinished") return { kind: "busy" };
    const isLost = after !== undefined && lostRun(driven.outcome) === drivenId;
    return await concluded(of, letter, isLost ? after : driven);
  } finally {
    await lease?.end();
  }
}

/** Continues the unfinished run of the letter: another run would do its work again. */
async function resumed(
  { axon: watched, bus, intervention }: OneRedrive,
  program: Program,
  { id, entries }: FoundRun & { readonly kind: "unfinished" },
): Promise<Run> {
  // As it was found: else the slower of two processes would take it from the other.
  const options = { watched, bus, intervention, by: program.journal?.owner, entries };
  return { outcome: await resumeIn(program, id, options) };
}

/** Runs it here. The result if no run began, or the outcome of the run. */
async function drive(
  of: OneRedrive,
  letter: DeadLetter,
  program: Program,
  runId?: string,
): Promise<Redriven | Run> {
  const { store, id, axon, bus, begun } = of;
  if (letter.lost !== undefined) return { kind: "incomplete", lost: letter.lost };
  const entry = of.skipUndone ? letter : entryOf(program, letter, bus);
  if ("reason" in entry)
    return { kind: "would_skip", undone: letter.undone.map(({ node }) => node), ...entry };
  const refused = await recordedLetter(letter, program, of.intervention);
  if (refused !== undefined) return { kind: "unrecorded" };
  const discard = (): unknown => store.remove(id);
  const run = redriveLetter({ axon, program, letter, entry, bus, runId, discard });
  const { mark: trace, runId: watchedAs } = run;
  const seen = { ...(trace && { trace }), ...(watchedAs !== undefined && { runId: watchedAs }) };
  begun(seen);
  return { outcome: await run.outcome, ...seen };
}

/** Removes or updates the letter of a run that has ended; a stored run did it before. */
async function concluded(
  { store, id }: OneRedrive,
  letter: DeadLetter,
  { outcome, trace, runId }: Run,
): Promise<Redriven> {
  const seen = { ...(trace && { trace }), ...(runId !== undefined && { runId }) };
  if (isFault(outcome) && isLockTaken(outcome.error)) return { kind: "busy" };
  if (isFault(outcome)) {
    const { trace: _trace, run_id: _run, cause: _cause, ...again } = letter;
    const failed = { ...again, ...(trace && { trace }), ...(runId !== undefined && { run_id: runId }) };
    await keepFailed(store, failed, outcome);
    return { kind: "failed", outcome, ...seen };
  }
  await store.remove(id);
  return { kind: "done", outcome, ...seen };
}

/** The node at which a re-drive repeats the undone steps, or the reason why it cannot begin there. */
function entryOf(program: Program, letter: DeadLetter, bus: Bus | undefined): LetterEntry | WouldSkip {
  const [first] = letter.undone;
  if (letter.kind === "compensation" || first === undefined) return letter;
  const standing = letter.undone.find(({ stands }) => stands);
  if (standing !== undefined)
    return { reason: `the compensation of '${standing.node}' failed, and a second run would do it twice` };
  try {
    requireEntry(program, first.node, bus);
    return first;
  } catch (error) {
    if (error instanceof FrameworkError) return { reason: error.message };
    throw error;
  }
}

interface WouldSkip {
  readonly reason: string;
}

function recordedLetter(letter: DeadLetter, program: Program, by: Intervention) {
  const { name: axon, reporter, audit: use } = program;
  const { id, node, attempts, run_id } = letter;
  const metadata = { axon, node, attempts, run_id };
  const entry = { action: "letter.redrive", target: id, metadata };
  return recorded(by, entry, { axon, use, reporter, clock: systemClock });
}

/** Stores the failed letter, unless the run already stored it: its sink may be this store. */
async function keepFailed(
  store: DeadLetterStore,
  letter: DeadLetter,
  failure: Fault<unknown>,
): Promise<void> {
  const kept = await store.get(letter.id);
  if (kept !== undefined && kept.attempts > letter.attempts) return;
  const { error } = failure;
  const attempts = letter.attempts + 1;
  await store.send({ ...letter, error, ...causeIn(failure), failed_at: Date.now(), attempts });
}

/** The run that this process did not end, or does not know that it did: its log says how it ended. */
function lostRun(outcome: unknown): string | undefined {
  const taken = takenRun(outcome);
  if (taken !== undefined || !isFault(outcome) || !isRuntimeFault(outcome.error)) return taken;
  return outcome.error.code === "CHECKPOINT_FAILED" ? outcome.error.runId : undefined;
}

const isLockTaken = (error: unknown): boolean => isRuntimeFault(error) && error.code === "LOCK_TAKEN";
