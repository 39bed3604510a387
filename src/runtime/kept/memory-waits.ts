import { isDeepStrictEqual } from "node:util";

import type { RunEntry } from "#core/ports/run-store.js";
import {
  endSignal,
  type KeptSignal,
  MAX_SIGNALS,
  type RunWait,
  type RunWaits,
} from "#core/ports/run-waits.js";

/** What a log has of waits and signals. */
export interface WaitingLog {
  readonly axon: string;
  readonly version: string;
  readonly unfit: { readonly releases: readonly string[] } | undefined;
  wait: RunWait | undefined;
  tells: string | undefined;
  /** Each as text; deleted once it is taken, but not from `signalIds`. */
  readonly signals: Map<number, string>;
  /** What came under each id. */
  readonly signalIds: Map<string, { readonly name: string; readonly payload: string }>;
}

/** The logs of a store in memory, by id. */
export interface WaitingLogs<L extends WaitingLog> {
  readonly unfinished: ReadonlyMap<string, L>;
  readonly ended: ReadonlyMap<string, L>;
  readonly entriesOf: (log: L) => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Whether the run has no owner behind this entry, and is due at a time or by a signal. */
export const isParked = (last: RunEntry): boolean =>
  last.kind === "waiting" || (last.kind === "begun" && last.continues !== undefined);

export class MemoryWaits<L extends WaitingLog> implements RunWaits {
  readonly #of: WaitingLogs<L>;

  constructor(of: WaitingLogs<L>) {
    this.#of = of;
  }

  /** Of an append that was made. Returns whether the run is due. */
  grown(log: L, entries: readonly RunEntry[], isToBeCancelled: boolean): boolean {
    for (const entry of entries)
      if (entry.kind === "resumed" && entry.woken?.by === "signal") log.signals.delete(entry.woken.number);
    const last = entries.at(-1) as RunEntry;
    log.wait = isParked(last) ? this.#waitOf(log, last, isToBeCancelled) : undefined;
    return this.#isDue(log);
  }

  /** It is due now if it waits. */
  end(log: L): void {
    if (log.wait !== undefined && !this.#isDue(log)) log.wait = { ...log.wait, due: this.#of.now() };
  }

  readonly due: RunWaits["due"] = ({ axons, release, withinMs, limit }) => {
    const now = this.#of.now();
    const fits = ({ axon, version, unfit }: L): boolean =>
      axons.some(({ name, versions }) => name === axon && versions.includes(version)) &&
      unfit?.releases.includes(release) !== true;
    return [...this.#of.unfinished]
      .flatMap(([id, log]) => {
        const { axon, wait } = log;
        if (wait?.due === undefined || wait.due > now + withinMs || !fits(log)) return [];
        return [{ id, axon, entries: this.#of.entriesOf(log), dueInMs: wait.due - now }];
      })
      .sort((a, b) => a.dueInMs - b.dueInMs)
      .slice(0, limit);
  };

  readonly signal: RunWaits["signal"] = (run, signal) => {
    const log = this.#of.unfinished.get(run) ?? this.#of.ended.get(run);
    if (log === undefined) return { kind: "unknown" };
    const { name, id } = signal;
    const payload = JSON.stringify(signal.payload);
    const known = log.signalIds.get(id);
    if (known !== undefined) {
      const isSame = known.name === name && isDeepStrictEqual(JSON.parse(known.payload), JSON.parse(payload));
      return { kind: "known", isSame };
    }
    if (this.#of.ended.has(run)) return { kind: "ended" };
    const others = pendingOf(log).filter((kept) => !isEnd(kept.name));
    if (!isEnd(name) && others.length >= MAX_SIGNALS) return { kind: "full" };
    log.signalIds.set(id, { name, payload });
    const number = log.signalIds.size;
    log.signals.set(number, JSON.stringify({ ...signal, number, at: this.#of.now() }));
    const isAwaited = log.wait?.signals?.includes(name) === true;
    if (isAwaited) this.end(log);
    return { kind: "kept", isAwaited };
  };

  readonly signals: RunWaits["signals"] = (run, names) => {
    const log = this.#of.unfinished.get(run) ?? this.#of.ended.get(run);
    return log === undefined ? [] : pendingOf(log).filter(({ name }) => names.includes(name));
  };

  readonly wake: RunWaits["wake"] = (run, known) => {
    const log = this.#of.unfinished.get(run);
    if (log?.wait === undefined || this.#of.entriesOf(log) !== known) return false;
    this.end(log);
    return true;
  };

  readonly untold: RunWaits["untold"] = (limit) =>
    [...this.#of.ended]
      .flatMap(([id, { tells }]) => (tells === undefined ? [] : [{ id, tells }]))
      .slice(0, limit);

  readonly told: RunWaits["told"] = (run) => {
    const log = this.#of.ended.get(run) ?? this.#of.unfinished.get(run);
    if (log !== undefined) log.tells = undefined;
  };

  #isDue({ wait }: L): boolean {
    return wait?.due !== undefined && wait.due <= this.#of.now();
  }

  #waitOf(log: L, last: RunEntry, isToBeCancelled: boolean): RunWait {
    const { signals, due, inMs } =
      last.kind === "waiting" ? last : ({} as Extract<RunEntry, { kind: "waiting" }>);
    const now = this.#of.now();
    const isThere = pendingOf(log).some(({ name }) => signals?.includes(name));
    const until =
      inMs === undefined ? (due ?? (signals === undefined ? now : undefined)) : now + Math.max(0, inMs);
    const at = isThere || isToBeCancelled ? now : until;
    return { ...(signals && { signals: [...signals] }), ...(at !== undefined && { due: at }) };
  }
}

const isEnd = (name: string): boolean => name.startsWith(endSignal(""));

const pendingOf = ({ signals }: WaitingLog): readonly KeptSignal[] =>
  [...signals.values()].map((text) => JSON.parse(text) as KeptSignal);
