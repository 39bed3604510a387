// The beginning of a stored run by an operator, and its end: an ended run is deleted with its history.

import { type Fault, isFault } from "#core/bus/outcome.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import { type SchemaError, schemaErrorText } from "#core/bus/schema-error.js";
import { FrameworkError } from "#core/errors.js";
import { isKeptRunId, isReservedRunId } from "#core/ports/run-store.js";
import { forgetRun } from "#runtime/hosting/forgotten-runs.js";
import type { StartedRun } from "#runtime/kept/appended.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import { faultReason } from "../traces/fault-reason.js";
import { cannot, entered, type OfRun, UNRECORDED } from "./kept-signals.js";

export const unknown = (id: string): Fault<InspectorFault> =>
  inspectorFault("KEPT_RUN_UNKNOWN", { detail: `No mounted Axon keeps a run '${id}'` });

export const unkept = (circuit: string): Fault<InspectorFault> =>
  inspectorFault("CIRCUIT_UNKNOWN", { detail: `No mounted Axon '${circuit}' keeps its runs` });

export async function begun(
  of: Omit<OfRun, "store">,
  input: unknown,
): Promise<"begun" | "known" | Fault<InspectorFault>> {
  const { id: runId, axon, owner } = of;
  if (!isKeptRunId(runId) || isReservedRunId(runId))
    return invalid([
      { pointer: "/run_id", keyword: "id", expected: "text without 'key-' or 'redrive-' in front" },
    ]);
  if (owner?.startRun === undefined) return cannot("No run begins in this process");
  if ((await entered(of, "run.start")) !== undefined) return UNRECORDED;
  try {
    const started = await owner.startRun(axon.name, input, { runId });
    return started.kind === "refused" ? refusedBy(started) : started.kind;
  } catch (error) {
    // What the circuit needs and a run without a request lacks.
    if (error instanceof FrameworkError) return cannot(error.message);
    throw error;
  }
}

function refusedBy({ error }: StartedRun & { readonly kind: "refused" }): Fault<InspectorFault> {
  if (isRuntimeFault(error) && error.code === "INPUT_INVALID")
    return invalid(error.errors.map((each) => ({ ...each, pointer: `/input${each.pointer}` })));
  const { title, detail } = faultReason(error);
  return cannot(detail === null ? title : `${title}: ${detail}`);
}

const invalid = (errors: readonly SchemaError[]): Fault<InspectorFault> =>
  inspectorFault("KEPT_START_INVALID", {
    errors,
    detail: errors
      .slice(0, 3)
      .map((error) => schemaErrorText(error, "input"))
      .join("; "),
  });

/** Undefined once it is deleted. */
export async function forgotten(of: OfRun): Promise<Fault<InspectorFault> | undefined> {
  const { id, store, owner } = of;
  const tellEnds = () => owner?.tellEnds?.();
  const result = await forgetRun(store, id, { tellEnds, record: () => entered(of, "run.forget") });
  if (isFault(result)) return UNRECORDED;
  if (result === "running") return cannot("It has not ended: cancel it first");
  return result === "forgotten" ? undefined : unknown(id);
}
