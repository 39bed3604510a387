// What operators send to a stored run that waits: a signal, or the end of its time. Recorded in the
// audit log of its Axon before it takes effect.

import { type Fault, isFault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { AuditFailed } from "#core/bus/runtime-fault.js";
import { type SchemaError, schemaErrorText } from "#core/bus/schema-error.js";
import type { Clock } from "#core/clock.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { type SentSignal, signalRun, wakeRun } from "#runtime/hosting/sent-signal.js";
import type { RunOwner } from "#runtime/kept/appended.js";
import { type Intervention, recorded } from "#runtime/run/intervention.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { SignalRequest, SignalResult } from "../api/runs.js";

export interface OfRun {
  readonly id: string;
  readonly axon: AxonDefinition;
  readonly store: RunStore;
  /** Told of a run that is due. */
  readonly owner: RunOwner | undefined;
  readonly intervention: Intervention;
  readonly reporter: Reporter;
  readonly clock: Clock;
}

interface Sent {
  readonly signal_id: string;
  readonly result: SignalResult;
}

export async function signalled(of: OfRun, request: SignalRequest): Promise<Sent | Fault<InspectorFault>> {
  const { actor } = of.intervention;
  const { name } = request;
  const record = (signal_id: string) => entered(of, "run.signal", { signal: name, signal_id });
  const sent = await signalRun(of.store, of.axon, of.id, { ...request, actor, record });
  if (isFault(sent)) return UNRECORDED;
  if (sent.kind !== "kept" && sent.kind !== "known") return refused(of.id, sent);
  if (sent.kind === "known") return { signal_id: sent.id, result: "known" };
  if (sent.isAwaited) of.owner?.waits?.(0);
  return { signal_id: sent.id, result: sent.isAwaited ? "woken" : "kept" };
}

export async function woken(of: OfRun): Promise<Fault<InspectorFault> | undefined> {
  const row = await of.store.ownership?.(of.id);
  if (row?.wait === undefined) return cannot("It does not wait: it is at work, or was resumed meanwhile");
  if (row.wait.due === undefined)
    return cannot("It waits for a signal without a time that could end: send the signal, or cancel the run");
  if ((await entered(of, "run.wake")) !== undefined) return UNRECORDED;
  if (!(await wakeRun(of.store, of.id))) return cannot("It has gone on meanwhile");
  of.owner?.waits?.(0);
  return undefined;
}

/** Undefined if it may take effect. */
export const entered = (
  { id: target, axon: { name: axon, audit: use }, intervention, reporter, clock }: Omit<OfRun, "store">,
  action: "run.signal" | "run.wake" | "run.start" | "run.forget",
  facts: Readonly<Record<string, string>> = {},
): Promise<Fault<AuditFailed> | undefined> =>
  recorded(intervention, { action, target, metadata: { axon, ...facts } }, { axon, use, reporter, clock });

export const UNRECORDED = inspectorFault("ACTION_UNRECORDED", { headers: { "retry-after": "1" } });

export const cannot = (detail: string): Fault<InspectorFault> =>
  inspectorFault("KEPT_RUN_REFUSED", { detail });

type Unsent = Exclude<SentSignal, { readonly kind: "kept" | "known" }>;

function refused(id: string, unsent: Unsent): Fault<InspectorFault> {
  switch (unsent.kind) {
    case "unknown":
      return inspectorFault("KEPT_RUN_UNKNOWN", { detail: `No mounted Axon keeps a run '${id}'` });
    case "ended":
      return inspectorFault("KEPT_RUN_ENDED", { detail: `Run '${id}' has ended` });
    case "stuck":
      return cannot("It was resumed too often without a new checkpoint: resume it first");
    case "full":
      return cannot("Too many signals wait in it already: it has to take some first");
    case "conflict":
      return invalid([
        { pointer: "/id", keyword: "id", expected: "one under which no other signal was sent" },
      ]);
    case "invalid":
      return invalid(unsent.errors.map((error) => ({ ...error, pointer: inRequest(error) })));
  }
}

const invalid = (errors: readonly SchemaError[]): Fault<InspectorFault> =>
  inspectorFault("KEPT_SIGNAL_INVALID", {
    errors,
    detail: errors
      .slice(0, 3)
      .map((error) => schemaErrorText(error, "payload"))
      .join("; "),
  });

/** The place in the request of an error in the signal. */
const inRequest = ({ keyword, pointer }: SchemaError): string =>
  pointer === "" && keyword === "signal"
    ? "/name"
    : pointer === "" && keyword === "id"
      ? "/id"
      : `/payload${pointer}`;
