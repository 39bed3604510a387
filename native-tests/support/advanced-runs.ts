// One Axon kept in memory, and advanced entry by entry: what both come to.

import { Bus } from "#core/bus/bus.js";
import { isFault } from "#core/bus/outcome.js";
import { isWaiting } from "#core/bus/runtime-fault.js";
import { type RunEntry, RunId } from "#core/ports/run-store.js";
import type { Advanced, AdvanceWoken, LogEntry } from "#runtime/axon/advance-types.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { resumeRun } from "#runtime/axon/resume.js";
import type { MemoryRuns } from "#runtime/kept/memory-runs.js";

export interface AdvancedCase {
  /** Notes in `calls` what its steps do. */
  readonly axon: (runs: MemoryRuns, calls: string[]) => AnyAxon;
  readonly input?: unknown;
  readonly bus?: Bus<any>;
  /** What ends its waits, in turn. */
  readonly woken?: readonly AdvanceWoken[];
}

export interface Ran {
  readonly outcome: unknown;
  readonly entries: readonly unknown[];
  readonly calls: readonly string[];
}

/** What two runs of an Axon have in common: not the time, the claims, the ids of watched runs. */
export const compared = (log: readonly (RunEntry | LogEntry)[]): readonly unknown[] =>
  log.map((entry) => {
    const { at, claim, watched_as, trace, ...rest } = entry as unknown as Record<string, unknown>;
    return JSON.parse(JSON.stringify(rest));
  });

/** Through JSON, as a host keeps it. */
const stored = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      each instanceof Error ? { name: each.name, message: each.message } : each,
    ),
  ) as T;

export const plain = (outcome: unknown): unknown =>
  isFault(outcome) ? { fault: stored(outcome.error) } : outcome;

/** Kept in memory, and woken as a host does. */
export async function kept(of: AdvancedCase, runs: MemoryRuns): Promise<Ran> {
  const calls: string[] = [];
  const axon = of.axon(runs, calls);
  const bus = Bus.of([[RunId, "run"], ...(of.bus?.entries ?? [])] as never) as Bus<never>;
  let outcome: unknown = await axon.execute(of.input as never, bus as never);
  const woken = [...(of.woken ?? [])];
  while (isWaiting(outcome)) {
    const isNewLog = runs.read("run").at(-1)?.kind === "begun";
    const next = isNewLog ? undefined : woken.shift();
    if (next?.by === "signal")
      await runs.waits.signal("run", { name: next.name, payload: next.payload as never, id: next.name });
    outcome = await resumeRun(axon.definition, "run", { wakes: true, bus: of.bus });
  }
  return { outcome, entries: compared(runs.read("run")), calls };
}

/** What an advance did: `calls` are those of its steps. */
interface Turn {
  readonly answer: Advanced<unknown>;
  readonly calls: readonly string[];
}

export interface AdvancedRun extends Ran {
  readonly log: readonly LogEntry[];
  readonly turns: readonly Turn[];
}

/** Advances from a log until the run is over. The log is what a host has: also what a new log has replaced. */
export async function advanced(
  axon: AnyAxon,
  calls: string[],
  of: Pick<AdvancedCase, "input" | "bus" | "woken">,
  from: readonly LogEntry[] = [],
  cancel?: { readonly reason: string },
): Promise<AdvancedRun> {
  let log = stored(from);
  const turns: Turn[] = [];
  const began = calls.length;
  const taken = (log as readonly RunEntry[]).filter((e) => e.kind === "resumed" && e.woken).length;
  const woken = (of.woken ?? []).slice(taken);
  let next: AdvanceWoken | undefined;
  for (;;) {
    const before = calls.length;
    const answer = await axon.advance(log, {
      ...{ runId: "run", input: of.input, bus: of.bus, woken: next },
      ...(cancel && { cancel }),
    });
    turns.push({ answer, calls: calls.slice(before) });
    log = [...log, ...stored(answer.entries)];
    if (answer.stuck !== undefined) throw new Error(`stuck: ${JSON.stringify(answer.stuck)}`);
    next = answer.waits === undefined ? undefined : woken.shift();
    if (answer.over === undefined) continue;
    const first = log.findLastIndex(({ kind }) => kind === "begun");
    const entries = compared(log.slice(Math.max(0, first)));
    return { outcome: answer.over.outcome, entries, calls: calls.slice(began), log, turns };
  }
}
