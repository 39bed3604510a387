// Which unfinished runs of a store the code at hand could resume: nothing is claimed, marked or written.
//
//   CK1. Each run is judged as a resumption would be, by its log: migrations, nodes, compensations, keys.
//   CK2. One page of runs is in memory, and a bounded number of kinds: a list of any length can be read.

import type { AnyKey } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { invalidOption } from "#core/invalid-option.js";
import { type RunStore, type UnfinishedRun, UnreadableLog } from "#core/ports/run-store.js";
import { endedRun } from "#core/ports/run-waits.js";
import { programOf } from "../axon/in-process.js";
import { requireKeysAt } from "../axon/keys-at.js";
import { requireJournal } from "../axon/resume.js";
import { declaredSignals } from "../axon/signal-payload.js";
import type { AxonDefinition, MigrationStrategy } from "../definition/axon-definition.js";
import { fitOf } from "../kept/run-fit.js";
import { type RunLog, readLog } from "../kept/run-log.js";
import { decode } from "../kept/stored-value.js";
import type { KeptAxon } from "./abandoned-runs.js";
import { whyLeft } from "./left-runs.js";

/** What becomes of a run. */
type RunWay =
  | { readonly way: "same" }
  | { readonly way: "migrates"; readonly strategy: MigrationStrategy["kind"] }
  /** The old Axon, which the new one names, completes it. */
  | { readonly way: "old code" }
  | { readonly way: "unfit"; readonly reason: string };

export type CheckedRuns = RunWay & {
  readonly axon: string;
  readonly version: string;
  readonly count: number;
  /** How many of them are stuck: no host resumes them, an operator can. */
  readonly stuck: number;
  /** Ids of some of them. */
  readonly examples: readonly string[];
};

export interface CheckOptions {
  /** Those whose runs the store has. */
  readonly axons: readonly KeptAxon[];
  /** Only runs of this Axon. */
  readonly axon?: string;
  /** Keys on the Bus of runs that a host of the Axon resumes; undefined: a caller gives them. */
  readonly given: (axon: AxonDefinition) => readonly AnyKey[] | undefined;
  /** Called with each page. */
  readonly checked?: (count: number) => void;
}

const PAGE = 100;
const MAX_EXAMPLES = 3;
/** Kinds told apart. A reason may have words of a function of the program, one for each run. */
const MAX_KINDS = 500;

export async function checkRuns(store: RunStore, options: CheckOptions): Promise<readonly CheckedRuns[]> {
  const kinds = new Map<string, CheckedRuns>();
  let count = 0;
  let after: string | undefined;
  do {
    const found: readonly UnfinishedRun[] = await store.unfinished({
      ...(options.axon !== undefined && { axon: options.axon }),
      ...(after !== undefined && { after }),
      limit: PAGE,
    });
    const ways = await Promise.all(found.map((run) => wayOf(run, store, options)));
    for (const [at, way] of ways.entries())
      if (way !== undefined) add(kinds, found[at] as UnfinishedRun, way);
    count += found.length;
    options.checked?.(count);
    after = found.length < PAGE ? undefined : placeOf(found.at(-1));
  } while (after !== undefined);
  return [...kinds.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ axon, version }: CheckedRuns): string => `${axon}\n${version}`;

function placeOf(run: UnfinishedRun | undefined): string {
  if (run?.place !== undefined) return run.place;
  throw invalidOption("This store lists its runs without places", "check runs of a store of openStores");
}

function add(
  kinds: Map<string, CheckedRuns>,
  { id, axon, version, stuck }: UnfinishedRun,
  way: RunWay,
): void {
  const exact = JSON.stringify([axon, version, way]);
  const isKnown = kinds.has(exact) || kinds.size < MAX_KINDS || way.way !== "unfit";
  const told: RunWay = isKnown ? way : { way: "unfit", reason: "other reasons" };
  const key = isKnown ? exact : JSON.stringify([axon, version, told]);
  const before = kinds.get(key) ?? { axon, version, ...told, count: 0, stuck: 0, examples: [] };
  kinds.set(key, {
    ...before,
    count: before.count + 1,
    stuck: before.stuck + (stuck ? 1 : 0),
    examples: before.examples.length < MAX_EXAMPLES ? [...before.examples, id] : before.examples,
  });
}

/** Undefined for a run that has ended meanwhile. */
async function wayOf(run: UnfinishedRun, store: RunStore, of: CheckOptions): Promise<RunWay | undefined> {
  const left = whyLeft(of.axons, run);
  if (left !== undefined) return unfit(left);
  const axon = of.axons.find(({ name }) => name === run.axon) as KeptAxon;
  let log: RunLog | undefined;
  try {
    log = readLog(await store.read(run.id));
  } catch (error) {
    const damage = [error, (error as Error).cause].find((each) => each instanceof UnreadableLog);
    if (damage === undefined) throw error;
    return unfit(`Its log cannot be read: ${wordsOf(damage)}`);
  }
  if (log === undefined || log.end !== undefined) return undefined;
  return wayTo(axon, log, run, { ...of, store });
}

interface Judging extends CheckOptions {
  readonly store: RunStore;
}

/** CK1. */
async function wayTo(axon: AxonDefinition, log: RunLog, run: UnfinishedRun, of: Judging): Promise<RunWay> {
  const program = programOf(axon);
  const fit = fitOf(program, requireJournal(program), log);
  if (fit.kind === "unfit") return unfit(fit.reason);
  if (fit.kind === "damaged") return unfit(`Its log cannot be read: ${wordsOf(fit.cause)}`);
  if (fit.kind === "another") {
    const way = await wayTo(fit.axon, log, run, of);
    return way.way === "unfit" ? way : { way: "old code" };
  }
  const { position, strategy } = fit;
  const given = of.given(axon);
  const isCancelled = run.cancel !== undefined;
  try {
    decode(position.input);
    if (given !== undefined) requireKeysAt(program, position, log, { given, isCancelled });
  } catch (error) {
    return unfit(
      error instanceof FrameworkError ? error.message : `Its log cannot be read: ${wordsOf(error)}`,
    );
  }
  const lost = isCancelled ? undefined : await lostWait(axon, log, run.id, of);
  if (lost !== undefined) return unfit(lost);
  return strategy === undefined ? { way: "same" } : { way: "migrates", strategy };
}

/** Why a run never wakes: it waits for signals alone, which can no longer be sent. */
async function lostWait(
  axon: AxonDefinition,
  { wait }: RunLog,
  id: string,
  { store }: Judging,
): Promise<string | undefined> {
  const { signals, due, inMs } = wait ?? {};
  if (signals === undefined || due !== undefined || inMs !== undefined) return undefined;
  const declared = declaredSignals(axon);
  if (signals.some((name) => declared.has(name) || endedRun(name) !== undefined)) return undefined;
  const came = (await store.waits?.signals(id, signals)) ?? [];
  const names = signals.map((name) => `'${name}'`).join(" or ");
  return came.length > 0
    ? undefined
    : `It waits for the signal ${names}, and no step of Axon '${axon.name}' does any more: nothing can wake it`;
}

const unfit = (reason: string): RunWay => ({ way: "unfit", reason });
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
