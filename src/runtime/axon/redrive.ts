import type { Bus } from "#core/bus/bus.js";
import { type Fault, isFault } from "#core/bus/outcome.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import { systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { DeadLetter, DeadLetterStore } from "#core/ports/dead-letter.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { causeIn } from "../execute/run-ending.js";
import { BY_PROGRAM, type Intervention, recorded } from "../run/intervention.js";
import type { AnyAxon } from "./axon-types.js";
import { type LetterEntry, programOf, redriveLetter, requireEntry } from "./in-process.js";

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
  /** A re-drive is running in this process, or the lock of the Axon is held. The letter does not change. */
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
): Promise<Redriven> {
  const busy = atWork.get(store) ?? new Set();
  atWork.set(store, busy);
  if (busy.has(id)) return { kind: "busy" };
  busy.add(id);
  try {
    const letter = await store.get(id);
    if (letter === undefined) return { kind: "unknown" };
    if (letter.lost !== undefined) return { kind: "incomplete", lost: letter.lost };
    const entry = skipUndone ? letter : entryOf(axon, letter, bus);
    if ("reason" in entry)
      return { kind: "would_skip", undone: letter.undone.map(({ node }) => node), ...entry };
    const refused = await recordedLetter(letter, axon, intervention);
    if (refused !== undefined) return { kind: "unrecorded" };
    const run = redriveLetter(axon, letter, entry, bus);
    const { mark: trace, runId } = run;
    const seen = { ...(trace && { trace }), ...(runId !== undefined && { runId }) };
    begun(seen);
    const outcome = await run.outcome;
    if (isFault(outcome) && isLockTaken(outcome.error)) return { kind: "busy" };
    if (isFault(outcome)) {
      const { trace: _trace, run_id: _run, cause: _cause, ...again } = letter;
      const failed = { ...again, ...(trace && { trace }), ...(runId !== undefined && { run_id: runId }) };
      await keepFailed(store, failed, outcome);
      return { kind: "failed", outcome, ...seen };
    }
    await store.remove(id);
    return { kind: "done", outcome, ...seen };
  } finally {
    busy.delete(id);
  }
}

/** The node at which a re-drive repeats the undone steps, or the reason why it cannot begin there. */
function entryOf(axon: AxonDefinition, letter: DeadLetter, bus: Bus | undefined): LetterEntry | WouldSkip {
  const [first] = letter.undone;
  if (letter.kind === "compensation" || first === undefined) return letter;
  const standing = letter.undone.find(({ stands }) => stands);
  if (standing !== undefined)
    return { reason: `the compensation of '${standing.node}' failed, and a second run would do it twice` };
  try {
    requireEntry(programOf(axon), first.node, bus);
    return first;
  } catch (error) {
    if (error instanceof FrameworkError) return { reason: error.message };
    throw error;
  }
}

interface WouldSkip {
  readonly reason: string;
}

function recordedLetter(letter: DeadLetter, definition: AxonDefinition, by: Intervention) {
  const { name: axon, reporter, audit: use } = programOf(definition);
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

const isLockTaken = (error: unknown): boolean => isRuntimeFault(error) && error.code === "LOCK_TAKEN";
