// Runs today's code of an Axon over the log of a run, without effects, and finds the first difference.
//
//   RP1. A replay goes in stretches: from the beginning to the first wait, and from each resumption that
//        ended a wait to the next. A run that another version took over is replayed from there.

import { Bus } from "#core/bus/bus.js";
import { FailureLog, Log, type LogWriter } from "#core/bus/log.js";
import { type Clock, systemClock } from "#core/clock.js";
import { type RunEntry, RunEpoch, RunId, type RunPosition } from "#core/ports/run-store.js";
import { REDACTED } from "#core/secrets/secret.js";
import type { Json } from "#core/wire/json-text.js";
import { fill } from "../axon/in-process.js";
import { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { leadingGuards } from "../definition/mounted.js";
import { readLog } from "../kept/run-log.js";
import { decode } from "../kept/stored-value.js";
import { END } from "../run/instruction.js";
import { axonId, stepId } from "../run/node-id.js";
import { type ReplayEnd, type ReplayedLog, ReplayJournal } from "./replay-journal.js";
import { CLOCK, OWNER, replaying, treatments } from "./replay-steps.js";
import type { Replayed, ReplayRefusal } from "./replayed.js";
import { replayedAxon } from "./replayed-axon.js";
import { leads } from "./stored-outcome.js";

export interface ReplayOptions {
  /** Values of keys that the log has not, such as resources, by their names. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Time that a run may take until its next wait, in milliseconds. Default 10 000. */
  readonly maxMs?: number;
  readonly clock?: Clock;
}

type Ended = Exclude<ReplayEnd, { readonly kind: "waits" }>;

/** A run as its store has it, and as "framework runs export" writes it. */
export interface StoredRun {
  readonly run_id: string;
  readonly entries: readonly RunEntry[];
}

/**
 * Runs today's code of an Axon over the log of a run, without effects. Resolves to the first difference,
 * or to "same".
 */
export const replayRun = (
  { definition }: { readonly definition: AxonDefinition },
  { run_id, entries }: StoredRun,
  options: ReplayOptions = {},
): Promise<Replayed> => new Replayer(definition, options).replay(run_id, entries);

/** Replays runs of one Axon. */
export class Replayer {
  readonly #axon: AxonDefinition;
  readonly #set: Readonly<Record<string, unknown>>;
  readonly #maxMs: number;
  readonly #clock: Clock;
  /** By what decides the treatment of their steps. */
  readonly #programs = new Map<string, Program>();

  constructor(axon: AxonDefinition, options: ReplayOptions = {}) {
    const { set = {}, maxMs = 10_000, clock = systemClock } = options;
    this.#axon = axon;
    this.#set = set;
    this.#maxMs = maxMs;
    this.#clock = clock;
  }

  async replay(id: string, entries: readonly RunEntry[]): Promise<Replayed> {
    const log = this.#logOf(id, entries);
    if ("kind" in log) return log;
    const whole = new Set<string>();
    for (;;) {
      const program = this.#programFor(log, whole);
      const { end, ran, given } = await this.#stretches(program, log);
      if (end.kind !== "unkept") return { ...end, ran, given };
      whole.add(end.part);
    }
  }

  #logOf(id: string, entries: readonly RunEntry[]): ReplayedLog | Replayed {
    const { name, persistence } = this.#axon;
    const refused = (code: ReplayRefusal, reason: string): Replayed => ({
      ...{ kind: "refused", code, reason },
      ...{ ran: [], given: [] },
    });
    try {
      const log = readLog(entries);
      if (log === undefined) return refused("REPLAY_UNREADABLE", "the log has no entries");
      if (log.axon !== name) return refused("REPLAY_REFUSED", `it is a run of Axon '${log.axon}'`);
      const { checkpoint = persistence?.checkpoint } = entries[0] as RunEntry & {
        readonly checkpoint?: string;
      };
      if (checkpoint !== "sync")
        return refused(
          "REPLAY_REFUSED",
          `its checkpoints are '${checkpoint ?? "none"}': only "sync" writes what each step came to`,
        );
      const isMasked = JSON.stringify(entries).includes(REDACTED);
      return { id, entries, isMasked, generation: log.continues, set: this.#set };
    } catch (error) {
      return refused("REPLAY_UNREADABLE", error instanceof Error ? error.message : String(error));
    }
  }

  #programFor({ entries }: ReplayedLog, whole: ReadonlySet<string>): Program {
    const { bus } = entries[beginningOf(entries)] as RunEntry & RunPosition;
    const there = [...new Set([...Object.keys(bus), ...Object.keys(this.#set)])].sort();
    const key = JSON.stringify([there, [...whole].sort()]);
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    const axon = replayedAxon(this.#axon, { treatments, there: new Set(there), whole });
    const program = new Program(axon, { production: true, clock: CLOCK, owner: OWNER, ownBus: true });
    this.#programs.set(key, program);
    return program;
  }

  /** RP1. */
  async #stretches(
    program: Program,
    log: ReplayedLog,
  ): Promise<{ readonly end: Ended } & Pick<Replayed, "ran" | "given">> {
    const ran: string[] = [];
    const given: string[] = [];
    let at = beginningOf(log.entries);
    const end = misplaced(program, this.#axon, log);
    if (end !== undefined) return { end, ran, given };
    for (;;) {
      const journal = await this.#stretch(program, log, at);
      ran.push(...journal.ran);
      given.push(...journal.given);
      const end = journal.end ?? { kind: "same", isWhole: false };
      if (end.kind !== "waits") return { end, ran, given };
      at = log.entries.findIndex(({ kind }, i) => i > journal.at && kind === "resumed");
      if (at < 0) return { end: { kind: "same", isWhole: false }, ran, given };
    }
  }

  async #stretch(program: Program, log: ReplayedLog, at: number): Promise<ReplayJournal> {
    const journal = new ReplayJournal(log, program, at);
    const run = runOf(program, log, at, journal);
    let stop: () => void = () => {};
    const late = new Promise<void>((resolve) => {
      stop = this.#clock.after(this.#maxMs, () => {
        journal.refuse("REPLAY_REFUSED", journal.node, `it has not ended within ${this.#maxMs} ms`);
        resolve();
      });
    });
    await Promise.race([replaying(journal, run), late]).finally(stop);
    return journal;
  }
}

/** Index of the entry with which the version began that ran it last. */
function beginningOf(entries: readonly RunEntry[]): number {
  let begun = 0;
  let version = "";
  for (const [i, entry] of entries.entries())
    if ((entry.kind === "begun" || entry.kind === "resumed") && entry.version !== version) {
      begun = i;
      version = entry.version;
    }
  return begun;
}

/** A log that begins where today's code does not. One of its own version began there by hand. */
function misplaced(program: Program, axon: AxonDefinition, { entries }: ReplayedLog): Ended | undefined {
  const at = beginningOf(entries);
  const { node, version } = entries[at] as RunEntry & RunPosition & { readonly version: string };
  const first = axon.steps[leadingGuards(axon)];
  const begin = first === undefined ? axonId(axon.name) : stepId(axonId(axon.name), first);
  const isFirst = (): boolean => leads(program, program.entries.get(begin) ?? END, node);
  if (program.entries.has(node) && (version === axon.version || at > 0 || isFirst())) return undefined;
  const difference = { node, of: "next", pointer: "", stored: node, now: begin, entry: at + 1 } as const;
  return { kind: "differs", difference };
}

/** The run from that entry on. */
function runOf(program: Program, log: ReplayedLog, at: number, journal: ReplayJournal): () => unknown {
  const entry = log.entries[at] as RunEntry & RunPosition;
  const state = program.acquire();
  fill(state, LOGS);
  for (const key of program.layout.keys)
    if (Object.hasOwn(entry.bus, key.name))
      state.values[state.slotOf(key)] = decode(entry.bus[key.name] as Json);
  const [first] = log.entries as readonly [RunEntry & { readonly epoch?: number }];
  const resumed = log.entries.slice(0, at + 1).filter(({ kind }) => kind === "resumed");
  state.values[state.slotOf(RunId)] = log.id;
  state.values[state.slotOf(RunEpoch)] = (first.epoch ?? 1) + resumed.length;
  state.jumps = entry.jumps;
  state.due().journal = journal;
  return () => program.runFrom(entry.node)(decode(entry.input), state);
}

const nothing = (): void => {};
const SILENT: LogWriter = {
  ...{ trace: nothing, debug: nothing, info: nothing },
  ...{ warn: nothing, error: nothing, fatal: nothing },
};
const LOGS = Bus.of([
  [Log, SILENT],
  [FailureLog, SILENT],
]);
