// Sends a signal to a kept run of an Axon, and ends the time for which one waits.

import { randomUUID } from "node:crypto";

import type { Fault } from "#core/bus/outcome.js";
import type { AuditFailed } from "#core/bus/runtime-fault.js";
import { isKeptRunId, type RunStore } from "#core/ports/run-store.js";
import type { RunWait } from "#core/ports/run-waits.js";
import { type InvalidSignal, invalidSignal, payloadOf } from "../axon/signal-payload.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { readLog } from "../kept/run-log.js";

export interface SignalToSend {
  readonly name: string;
  readonly payload: unknown;
  /** A run keeps one signal of an id. Default: a random UUID. */
  readonly id?: string;
  /** For the log and the page. */
  readonly actor?: string;
  /** Called before it is kept, with its id. A fault it resolves to is the answer, and nothing is kept. */
  readonly record?: (id: string) => Promise<Fault<AuditFailed> | undefined>;
}

export type SentSignal =
  /** `isAwaited`: the run waits for it, and is due. */
  | { readonly kind: "kept"; readonly id: string; readonly isAwaited: boolean }
  /** It was sent before: nothing is sent twice. */
  | { readonly kind: "known"; readonly id: string }
  /** Another signal was sent under this id. */
  | { readonly kind: "conflict"; readonly id: string }
  /** "full": too many signals of the run were not taken yet. */
  | { readonly kind: "unknown" | "ended" | "stuck" | "full" }
  | InvalidSignal;

/** `known` is what the caller has just read of the run. A run of another Axon is unknown: who may signal runs of one Axon learns nothing of others. */
export async function signalRun(
  store: RunStore,
  axon: AxonDefinition,
  runId: string,
  { name, payload, id = randomUUID(), actor, record }: SignalToSend,
  known?: SignalledState,
): Promise<SentSignal | Fault<AuditFailed>> {
  const { waits } = store;
  const run = known ?? (await stateOf(store, runId));
  if (waits === undefined || run?.axon !== axon.name) return { kind: "unknown" };
  if (!isKeptRunId(id)) return invalidSignal("id", "an id of 1 to 200 well-formed characters");
  const read = payloadOf(axon, name, payload);
  if ("kind" in read) return read;
  if (run.state === "stuck") return { kind: "stuck" };
  const refused = await record?.(id);
  if (refused !== undefined) return refused;
  const answer = await waits.signal(runId, {
    ...{ name, payload: read.json, id },
    ...(actor !== undefined && { actor }),
  });
  if (answer.kind === "kept") return { kind: "kept", id, isAwaited: answer.isAwaited };
  if (answer.kind === "known") return { kind: answer.isSame ? "known" : "conflict", id };
  return { kind: answer.kind };
}

/** False: it does not wait for a time, or has gone on. What waits for a signal alone has no time to end. */
export async function wakeRun(store: RunStore, runId: string): Promise<boolean> {
  const run = await stateOf(store, runId);
  if (run?.wait?.due === undefined) return false;
  return (await store.waits?.wake(runId, run.entries)) === true;
}

export interface SignalledState {
  readonly axon: string;
  readonly state: "running" | "stuck" | "ended";
}

interface RunState extends SignalledState {
  readonly entries: number;
  readonly wait?: RunWait | undefined;
}

async function stateOf(store: RunStore, runId: string): Promise<RunState | undefined> {
  if (store.glance !== undefined) return store.glance(runId);
  const log = readLog(await store.read(runId));
  if (log === undefined) return undefined;
  const state = log.end !== undefined ? "ended" : log.isStuck ? "stuck" : "running";
  const { axon, known: entries } = log;
  return { axon, state, entries, wait: (await store.ownership?.(runId))?.wait };
}
