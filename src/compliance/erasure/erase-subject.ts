// Erases the data of one person from every sink, one after the other.
//
//   ES1. A sink that throws or hangs is named, and the others go on. What is not confirmed to be gone
//        is not counted.
//   ES2. The audit log has the request before anything is erased, and its result afterwards. It has
//        neither subject nor hash.

import { randomUUID } from "node:crypto";

import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type Clock, systemClock } from "#core/clock.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { meantAmong } from "#core/nearest.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import type { ErasureCall, ErasureSink, ErasureSubject } from "#core/ports/erasure.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { erasureSubject } from "./erasure-subject.js";

export interface ErasureRequest {
  /** The same at each try: counts are summed over the tries. Default: random. */
  readonly id?: string;
  readonly subject: string;
  readonly issuer?: string;
  /** Names of sinks. Default: all. */
  readonly scope?: readonly string[];
  /** For the audit log: no personal data. */
  readonly reason: string;
}

export interface ErasureOptions {
  readonly stores?: {
    readonly shown: string;
    readonly erasure?: Pick<NonNullable<StoreSet["erasure"]>, "sinks" | "progress">;
  };
  /** Of the application, and of subject keys. They come behind those of the stores. */
  readonly sinks?: readonly ErasureSink[];
  readonly audit?: AuditSink;
  /** The actor. Default "program". */
  readonly by?: string;
  /** Whether unfinished runs are cancelled first. Default false: they are reported. */
  readonly cancelRuns?: boolean;
  /** How long to wait for cancelled runs and for hosts, in milliseconds. Default 30 000. */
  readonly waitMs?: number;
  /** How long a sink may be silent before it counts as hanging, in milliseconds. Default 60 000. */
  readonly sinkMs?: number;
  readonly clock?: Clock;
  readonly onProgress?: (sink: string) => void;
}

export interface SinkErasure {
  readonly sink: string;
  /** By all tries of this request. */
  readonly erased: number;
  readonly state: "done" | "in_progress" | "failed";
  /** What is left and why, at most 100 of `leftCount`. */
  readonly left: readonly string[];
  readonly leftCount: number;
  /** Of a sink that failed. */
  readonly error?: string;
}

export interface Erasure {
  readonly id: string;
  /** "done" only if each sink is. */
  readonly state: "done" | "in_progress" | "failed";
  readonly sinks: readonly SinkErasure[];
  /** Where nothing was found: issuers that have a subject of this id; empty text for none. */
  readonly otherIssuers: readonly string[];
}

const OPTIONS = [
  ...["stores", "sinks", "audit", "by", "cancelRuns", "waitMs", "sinkMs"],
  ...["clock", "onProgress"],
] as const;
const REQUEST = ["id", "subject", "issuer", "scope", "reason"] as const;
const MAX_MS = 86_400_000;

/**
 * Erases the data of a person. Calling it again with the same id erases the rest, also after a kill.
 * Rejects with CONFIG_INVALID, and if the audit log cannot be written: then before anything is erased.
 */
export async function eraseSubject(request: ErasureRequest, options: ErasureOptions): Promise<Erasure> {
  requireKnownOptions("eraseSubject", request, REQUEST);
  requireKnownOptions("eraseSubject", options, OPTIONS);
  const { id = randomUUID(), reason } = request;
  if (typeof id !== "string" || !/^[\w.:-]{1,100}$/.test(id))
    throw invalidOption("eraseSubject", "id has 1 to 100 letters, digits, '.', '_', ':' and '-'");
  if (typeof reason !== "string" || reason === "")
    throw invalidOption("eraseSubject", "give a reason, for the audit log");
  const subject = erasureSubject("eraseSubject", request.subject, request.issuer);
  const sinks = scopedSinks(sinksOf("eraseSubject", options), request.scope);
  const progress = options.stores?.erasure?.progress;
  if (progress !== undefined && !(await progress.begin(id, subject)))
    throw invalidOption("eraseSubject", `id '${id}' belongs to the request of another subject`);
  const record = (action: string, metadata: object): unknown =>
    options.audit?.append({
      ...{ actor: options.by ?? "program", action, target: `erasure/${id}`, intent: reason },
      metadata: { ...metadata },
    });
  await record("compliance.erasure.begun", { sinks: sinks.map(({ name }) => name) });
  const erased = await new Erasing(id, subject, sinks, reason, options).run();
  await record("compliance.erasure", {
    state: erased.state,
    erased: Object.fromEntries(erased.sinks.map((each) => [each.sink, each.erased])),
    left: Object.fromEntries(erased.sinks.map((each) => [each.sink, each.leftCount])),
  });
  return erased;
}

/** Throws CONFIG_INVALID where two have one name, or there is none. */
export function sinksOf(
  call: string,
  { stores, sinks = [] }: Pick<ErasureOptions, "stores" | "sinks">,
): readonly ErasureSink[] {
  const all = [...(stores?.erasure?.sinks ?? []), ...sinks];
  if (stores !== undefined && stores.erasure === undefined)
    throw invalidOption(
      call,
      `${stores.shown} keeps nothing beyond its process: give the stores of a database`,
    );
  if (all.length === 0) throw invalidOption(call, "there is nothing to look at: give stores, or sinks");
  const names = all.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw invalidOption(call, `two sinks are named '${twice}'`);
  return all;
}

function scopedSinks(
  sinks: readonly ErasureSink[],
  scope: readonly string[] | undefined,
): readonly ErasureSink[] {
  const names = sinks.map(({ name }) => name);
  const unknown = scope?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw invalidOption(
      "eraseSubject",
      `scope has '${unknown}', which is no sink; ${meantAmong(unknown, names) || `there are ${names.join(", ")}`}`,
    );
  return sinks.filter(({ name }) => scope === undefined || scope.includes(name));
}

class Erasing {
  readonly #id: string;
  readonly #subject: ErasureSubject;
  readonly #sinks: readonly ErasureSink[];
  readonly #options: ErasureOptions;
  readonly #call: Omit<ErasureCall, "signal" | "goesOn">;
  readonly #sinkMs: number;

  constructor(
    id: string,
    subject: ErasureSubject,
    sinks: readonly ErasureSink[],
    reason: string,
    options: ErasureOptions,
  ) {
    const { by = "program", cancelRuns = false, clock = systemClock } = options;
    const { waitMs = 30_000, sinkMs = 60_000 } = options;
    this.#id = id;
    this.#subject = subject;
    this.#sinks = sinks;
    this.#options = options;
    this.#sinkMs = requireWhole("eraseSubject", "sinkMs", sinkMs, 1, MAX_MS);
    this.#call = {
      ...{ id, by, reason, cancelRuns, clock },
      waitMs: requireWhole("eraseSubject", "waitMs", waitMs, 0, MAX_MS),
    };
  }

  async run(): Promise<Erasure> {
    const results: SinkErasure[] = [];
    for (const sink of this.#sinks) {
      this.#options.onProgress?.(sink.name);
      results.push(await this.#erase(sink));
    }
    const isEmpty = results.every(({ erased, leftCount }) => erased === 0 && leftCount === 0);
    const otherIssuers = isEmpty ? await this.#otherIssuers(results) : [];
    const isIn = (state: SinkErasure["state"]): boolean => results.some((each) => each.state === state);
    const state = isIn("failed") ? "failed" : isIn("in_progress") ? "in_progress" : "done";
    return { id: this.#id, state, sinks: results, otherIssuers };
  }

  async #erase(sink: ErasureSink): Promise<SinkErasure> {
    const { name } = sink;
    try {
      const {
        erased,
        left = [],
        leftCount = left.length,
        isCounted,
      } = await this.#limited((call) => sink.erase(this.#subject, call));
      const progress = this.#options.stores?.erasure?.progress;
      if (isCounted !== true && erased > 0) await progress?.add(this.#id, name, erased);
      const counts = (await progress?.counts(this.#id)) ?? {};
      return {
        ...{ sink: name, erased: progress === undefined ? erased : (counts[name] ?? 0) },
        ...{ state: leftCount > 0 ? "in_progress" : "done", left, leftCount },
      };
    } catch (error) {
      const counts = await Promise.resolve(this.#options.stores?.erasure?.progress.counts(this.#id)).catch(
        () => undefined,
      );
      return {
        ...{ sink: name, erased: counts?.[name] ?? 0, state: "failed", left: [], leftCount: 0 },
        error: textOf(error),
      };
    }
  }

  /** Rejects for a sink that is silent for too long; its signal fires. */
  async #limited<T>(use: (call: ErasureCall) => MaybePromise<T>): Promise<T> {
    const { clock } = this.#call;
    const end = new AbortController();
    let stop = (): void => {};
    let isOver = false;
    let giveUp: (error: Error) => void = () => {};
    const silence = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const goesOn = (): void => {
      stop();
      if (isOver) return;
      stop = clock.after(this.#sinkMs, () => {
        end.abort();
        giveUp(new Error(`it did not respond within ${this.#sinkMs} ms`));
      });
    };
    goesOn();
    try {
      const call = { ...this.#call, signal: end.signal, goesOn };
      return await Promise.race([silence, Promise.resolve().then(() => use(call))]);
    } finally {
      isOver = true;
      stop();
    }
  }

  /** Marks sinks that cannot be asked as failed. */
  async #otherIssuers(results: SinkErasure[]): Promise<readonly string[]> {
    const { subject, issuer: asked } = this.#subject;
    const issuers = new Set<string>(asked === undefined ? [] : [""]);
    const found = new Set<string>();
    const each = async (use: (sink: ErasureSink, goesOn: () => void) => Promise<void>): Promise<void> => {
      for (const [at, sink] of this.#sinks.entries())
        try {
          await this.#limited(({ goesOn }) => use(sink, goesOn));
        } catch (error) {
          const failed = { state: "failed", error: `its issuers and counts: ${textOf(error)}` } as const;
          results[at] = { ...(results[at] as SinkErasure), ...failed };
        }
    };
    await each(async (sink, goesOn) => {
      for await (const issuer of sink.issuers?.() ?? []) {
        goesOn();
        if (issuer !== asked) issuers.add(issuer);
      }
    });
    await each(async (sink, goesOn) => {
      for (const issuer of issuers) {
        goesOn();
        const other = erasureSubject("eraseSubject", subject, issuer === "" ? undefined : issuer);
        if (((await sink.count?.(other)) ?? 0) > 0) found.add(issuer);
      }
    });
    return [...found];
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
