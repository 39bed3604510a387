// What operators ask of kept runs by requests to hosts. Any program can write the table of requests: what
// a request holds is checked like input from outside, and answers name places, never values.
//
//   RQ1. A request about a run is for a host that has its Axon. What no host can do is answered all the
//        same once the others have left it (HR2): a run that is gone, an ended run of an Axon that is
//        gone, which any host can forget, and the cancellation of a run whose Axon no living host has.

import { type Static, type TSchema, Type } from "@sinclair/typebox";

import { fault, isFault } from "#core/bus/outcome.js";
import { isRunCancelled, isRuntimeFault } from "#core/bus/runtime-fault.js";
import { type SchemaError, schemaErrorText } from "#core/bus/schema-error.js";
import { FrameworkError } from "#core/errors.js";
import type { AnySignal } from "#core/flow/signal.js";
import type { HostRequest } from "#core/ports/host-requests.js";
import { isKeptRunId, isReservedRunId, type RunStore } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";
import { compileSchema } from "#schema/compile/validator.js";
import { resumeRun } from "../axon/resume.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { Intervention } from "../run/intervention.js";
import type { Errand } from "./host-requests.js";
import type { RunHost } from "./run-host.js";
import type { ServedRuns } from "./served-runs.js";

interface Asked {
  readonly host: RunHost;
  readonly runs: ServedRuns;
  readonly request: HostRequest;
  readonly by: Intervention;
}

const closed = { additionalProperties: false } as const;
const Started = Type.Object({ axon: Type.String(), input: Type.Optional(Type.Unknown()) }, closed);
const Sent = Type.Object(
  { name: Type.String(), payload: Type.Unknown(), id: Type.Optional(Type.String()) },
  closed,
);
const Reason = Type.String({ minLength: 1, maxLength: 1000 });

export function runErrands(host: RunHost, runs: ServedRuns): readonly (readonly [string, Errand])[] {
  const has = (name: string): boolean => host.axons.some((axon) => axon.name === name);
  const ofRun = (kind: string, act: (asked: Asked) => Promise<Json>): Errand => ({
    fits: async ({ target }, isLeft) => {
      const found = await runs.find(target);
      if (found === undefined) return isLeft;
      const { axon, end } = found.run;
      if (has(axon)) return true;
      if (!isLeft || (kind !== "cancel" && kind !== "forget")) return false;
      return kind === "forget" ? end !== undefined : !(await isServed(found.store, axon));
    },
    run: async (request) => {
      const { run } = (await runs.find(request.target)) ?? {};
      if (run === undefined) return refused("RUN_UNKNOWN");
      if (kind !== "forget" && run.end !== undefined) return refused("RUN_ENDED");
      if (kind !== "forget" && !has(run.axon))
        return refused("RUN_UNFIT", `no Axon '${run.axon}' keeps its runs here: mount it`);
      return act(askedOf(request));
    },
  });
  const askedOf = (request: HostRequest): Asked => {
    const { by: actor, reason } = request;
    return { host, runs, request, by: { actor, ...(reason !== undefined && { intent: reason }) } };
  };
  const start: Errand = {
    fits: async ({ payload }) => {
      const sent = checked(Started, payload);
      return "refusal" in sent || has(sent.value.axon);
    },
    run: async (request) => started(askedOf(request), has),
  };
  return [["start", start], ...Object.entries(ACTS).map(([kind, act]) => [kind, ofRun(kind, act)] as const)];
}

/** Hosts without facts have no kept Axons, or are of a release that knows none of these requests. */
const isServed = async (store: RunStore, axon: string): Promise<boolean> =>
  (await store.hosts?.())?.some(
    ({ isAlive, facts }) => isAlive && facts !== undefined && Object.hasOwn(facts.axons, axon),
  ) ?? true;

const ACTS: Readonly<Record<string, (asked: Asked) => Promise<Json>>> = {
  /** Its answer comes once the run is claimed. */
  resume: async ({ host, runs, request: { target }, by }) => {
    const { run } = (await runs.find(target)) ?? {};
    const axon = host.axons.find(({ name }) => name === run?.axon) as AxonDefinition;
    return new Promise<Json>((resolve, reject) => {
      const claimed = (): void => resolve({ kind: "resumed" });
      resumeRun(axon, target, { bus: host.resources, by: host, intervention: by, claimed }).then(
        (outcome) => resolve(refusalOf(outcome)),
        reject,
      );
    });
  },

  cancel: async ({ runs, request: { target, reason }, by }) => {
    const text = checked(Reason, reason, "reason");
    if ("refusal" in text) return text.refusal;
    const outcome = await runs.cancel(target, text.value, by);
    if (!isFault(outcome)) return { kind: "cancelling" };
    return isRunCancelled(outcome.error) ? { kind: "cancelled" } : refusalOf(outcome);
  },

  signal: async ({ runs, request: { target, payload }, by }) => {
    const sent = checked(Sent, payload);
    if ("refusal" in sent) return sent.refusal;
    const { name, id } = sent.value;
    const signal = { name, schema: Type.Unknown() } satisfies AnySignal;
    const result = await runs.signal(target, signal, sent.value.payload, {
      by,
      ...(id !== undefined && { id }),
    });
    if (isFault(result)) return refusalOf(result);
    switch (result.kind) {
      case "kept":
        return { kind: "signalled", result: result.isAwaited ? "woken" : "kept", id: result.id };
      case "known":
        return { kind: "signalled", result: "known", id: result.id };
      case "invalid":
        return invalid("SIGNAL_INVALID", result.errors, "payload");
      default:
        return refused(UNSENT[result.kind]);
    }
  },

  wake: async ({ runs, request: { target }, by }) => {
    const { run } = (await runs.find(target)) ?? {};
    if (run?.wait === undefined) return refused("RUN_RUNNING", "it does not wait");
    if (run.wait.due === undefined)
      return refused("RUN_WAITING", "it waits for a signal without a time that could end: send the signal");
    const isWoken = await runs.wake(target, by);
    if (isFault(isWoken)) return refusalOf(isWoken);
    return isWoken ? { kind: "woken" } : refused("RUN_RUNNING", "it has gone on meanwhile");
  },

  forget: async ({ runs, request: { target }, by }) => {
    const forgotten = await runs.forget(target, by);
    if (isFault(forgotten)) return refusalOf(forgotten);
    if (forgotten === "unknown") return refused("RUN_UNKNOWN");
    return forgotten === "running"
      ? refused("RUN_RUNNING", "it has not ended: cancel it first")
      : { kind: "forgotten" };
  },
};

const UNSENT = {
  unknown: "RUN_UNKNOWN",
  ended: "RUN_ENDED",
  stuck: "RUN_STUCK",
  full: "SIGNALS_FULL",
  conflict: "SIGNAL_CONFLICT",
} as const;

async function started(
  { runs, request: { target: runId, payload }, by }: Asked,
  has: (axon: string) => boolean,
): Promise<Json> {
  const sent = checked(Started, payload);
  if ("refusal" in sent) return sent.refusal;
  const { axon, input } = sent.value;
  if (!has(axon)) return refused("RUN_UNFIT", `no Axon '${axon}' keeps its runs here: mount it`);
  if (!isKeptRunId(runId) || isReservedRunId(runId))
    return refused(
      "RUN_ID_INVALID",
      "its id must be text of 1 to 200 characters without 'key-' or 'redrive-' in front",
    );
  try {
    const run = await runs.start(axon, input, { runId, by });
    return run.kind === "refused" ? refusalOf(fault(run.error), "RUN_REFUSED") : { kind: run.kind };
  } catch (error) {
    // What the Axon needs and a run without a request lacks.
    if (error instanceof FrameworkError) return refused(error.code, error.message);
    throw error;
  }
}

const refused = (code: string, detail?: string): Json => ({
  ...{ kind: "refused", code },
  ...(detail !== undefined && { detail }),
});

const invalid = (code: string, errors: readonly SchemaError[], whole: string): Json =>
  refused(
    code,
    errors
      .slice(0, 3)
      .map((error) => schemaErrorText(error, whole))
      .join("; "),
  );

/** Codes of what did not begin. Any other fault is that with which the run ended meanwhile. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...["AUDIT_FAILED", "CHECKPOINT_FAILED", "LOCK_TAKEN", "LOCK_UNAVAILABLE", "RUN_ENDED"],
  ...["RUN_INCOMPATIBLE", "RUN_OWNED", "RUN_STUCK", "RUN_TAKEN", "RUN_UNKNOWN", "RUN_WAITING"],
  ...["VALUE_NOT_DURABLE"],
]);

function refusalOf(outcome: unknown, otherwise = "RUN_ENDED"): Json {
  const error = isFault(outcome) ? outcome.error : undefined;
  if (!isRuntimeFault(error)) return refused(otherwise);
  if (error.code === "INPUT_INVALID") return invalid(error.code, error.errors, "input");
  if (error.code === "RUN_INCOMPATIBLE") return refused(error.code, error.reason);
  return refused(REFUSALS.has(error.code) ? error.code : otherwise);
}

type Checked<S extends TSchema> = { readonly value: Static<S> } | { readonly refusal: Json };

function checked<S extends TSchema>(schema: S, given: unknown, whole = "payload"): Checked<S> {
  const options = { owner: "A request to hosts", origin: "program", generate: false } as const;
  const { check, errors } = compileSchema(schema, options);
  if (check(given)) return { value: given as Static<S> };
  return { refusal: invalid("REQUEST_INVALID", errors(given), whole) };
}
