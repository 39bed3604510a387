// Sends a signal to a kept run of an Axon, and ends the time for which one waits.

import { randomUUID } from "node:crypto";

import type { Fault } from "#core/bus/outcome.js";
import type { AuditFailed } from "#core/bus/runtime-fault.js";
import type { SchemaError } from "#core/bus/schema-error.js";
import type { AnySignal } from "#core/flow/signal.js";
import { isKeptRunId, type RunStore } from "#core/ports/run-store.js";
import { MAX_SIGNAL_CHARS, type RunWait } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import { compileSchema, type Validator } from "#schema/compile/validator.js";
import {
  type AxonDefinition,
  oldVersionsOf,
  type Visitor,
  visitAxon,
} from "../definition/axon-definition.js";
import { encode, NotDurable } from "../kept/durable-value.js";
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
  /** Of the payload; `pointer` is "" for a signal that the Axon does not know. */
  | { readonly kind: "invalid"; readonly errors: readonly SchemaError[] };

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
  if (!isKeptRunId(id)) return invalid("id", "an id of 1 to 200 well-formed characters");
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

/** The signals for which runs of an Axon wait, also those that an old version of it finishes. By name. */
export function declaredSignals(axon: AxonDefinition): ReadonlyMap<string, AnySignal> {
  const signals = new Map<string, AnySignal>();
  const visitor: Visitor = {
    step: ({ body }) => {
      if (body.kind !== "wait" || body.wait.kind !== "signals") return;
      // The newest version comes first, and decides.
      for (const each of body.wait.signals) if (!signals.has(each.name)) signals.set(each.name, each);
    },
  };
  visitAxon(axon, visitor);
  for (const old of oldVersionsOf(axon)) visitAxon(old, visitor);
  return signals;
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

const validators = new WeakMap<object, Validator>();

function payloadOf(axon: AxonDefinition, name: string, payload: unknown): SentSignal | { json: Json } {
  const declared = declaredSignals(axon);
  const known = declared.get(name);
  if (known === undefined) {
    const names = [...declared.keys()].map((each) => `'${each}'`).join(", ");
    return invalid("signal", `a signal that '${axon.name}' waits for: ${names || "it waits for none"}`);
  }
  const owner = `Axon '${axon.name}', signal '${name}'`;
  const { check, errors } =
    validators.get(known.schema) ?? compileSchema(known.schema, { owner, origin: "program" });
  validators.set(known.schema, { check, errors });
  if (!check(payload)) return { kind: "invalid", errors: errors(payload) };
  try {
    const json = encode(payload, "payload", MAX_SIGNAL_CHARS);
    if (JSON.stringify(json).length <= MAX_SIGNAL_CHARS) return { json };
  } catch (error) {
    if (!(error instanceof NotDurable)) throw error;
    if (error.maxChars === undefined)
      return invalid("durable", `data, and ${error.path} is ${error.message}`);
  }
  return invalid("maxLength", `at most ${MAX_SIGNAL_CHARS} characters of JSON`);
}

const invalid = (keyword: string, expected: string): SentSignal => ({
  kind: "invalid",
  errors: [{ pointer: "", keyword, expected }],
});
