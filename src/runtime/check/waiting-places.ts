// Where a run may wait: in its line, and in the branches and subgraphs that stand in it. Elsewhere it
// has no place in its log at which it could be woken. Begun runs have the same places, for their ids.

import { FrameworkError } from "#core/errors.js";
import type { AnySignal } from "#core/flow/signal.js";
import { invalidOption } from "#core/invalid-option.js";
import { type AxonDefinition, type StepDefinition, visitAxon } from "../definition/axon-definition.js";
import { takesMountedRuns } from "../definition/mounted-runs.js";

/** Why a run may not wait here, and the remedy. */
interface Refusal {
  readonly why: string;
  readonly remedy: string;
  /** True if other runs may be begun here. */
  readonly begins?: true;
}

/** Throws WAIT_MISPLACED; CONFIG_INVALID if two signals of one name have different schemas. */
export function requireWaitingPlaces(axon: AxonDefinition): void {
  requirePlaces(axon, ofLog(axon), new Map());
}

/** Throws WAIT_MISPLACED for an Axon that waits, where nothing can wait for its answer. */
export function requireNoWaits(axon: AxonDefinition, where: string, remedy: string): void {
  requirePlaces(axon, { why: ` ${where}`, remedy, begins: true }, new Map());
}

/** Names of the Axons of which it begins runs. */
export function startedBy(axon: AxonDefinition): readonly string[] {
  const names: string[] = [];
  visitAxon(axon, {
    step: ({ body }) => {
      if (body.kind === "start") names.push(body.start.axon);
    },
  });
  return names;
}

/** The reason why no run of the Axon may wait, wherever its step stands. */
function ofLog(axon: AxonDefinition): Refusal | undefined {
  const { name, persistence } = axon;
  if (persistence === undefined)
    return {
      why: `, and Axon '${name}' keeps no runs`,
      remedy: "add .withPersistenceStore(Stores.mounted) to the outermost Axon",
    };
  if (persistence.checkpoint !== "sync")
    return {
      why: `, and the checkpoints of Axon '${name}' are '${persistence.checkpoint}'`,
      remedy: "leave 'checkpoint' of withPersistenceStore out: 'sync' is its default",
      begins: true,
    };
  if (takesMountedRuns(axon) || persistence.store.waits !== undefined) return undefined;
  return {
    why: `, and the store of Axon '${name}' keeps no runs that wait`,
    remedy: "use a store with 'waits', such as those of openStores(...)",
    begins: true,
  };
}

function requirePlaces(
  axon: AxonDefinition,
  outer: Refusal | undefined,
  signals: Map<string, AnySignal>,
): void {
  const here = outer ?? underLock(axon);
  for (const step of axon.steps) {
    requirePlace(axon.name, step, here);
    requireOneSchema(axon.name, step, signals);
    for (const branch of step.branches.values()) requirePlaces(branch, here, signals);
    requireInside(axon.name, step, here, signals);
  }
}

function requireInside(
  axon: string,
  step: StepDefinition,
  outer: Refusal | undefined,
  signals: Map<string, AnySignal>,
): void {
  const { body, transition } = step;
  const here = outer ?? ofPolicies(step);
  if (body.kind === "subgraph") requirePlaces(body.axon, here, signals);
  if (body.kind !== "parallel") return;
  const beside = here ?? {
    why: ` inside the parallel step '${transition.name}'`,
    remedy: "wait before or after it, or begin runs by startRun and await each",
  };
  for (const inner of body.steps) requireInside(axon, inner, beside, signals);
}

/** A lock has a lease, and would be held for as long as the run waits. */
const underLock = ({ name, mode }: AxonDefinition): Refusal | undefined =>
  mode.kind === "local"
    ? undefined
    : {
        why: ` under the lock '${mode.lockKey}' of Axon '${name}'`,
        remedy: "put the steps that need the lock into a subgraph with withExecutionMode, beside the wait",
        begins: true,
      };

function ofPolicies({ transition: { name }, retry, timeoutMs, undo }: StepDefinition): Refusal | undefined {
  if (retry !== undefined)
    return { why: ` inside '${name}', which is retried`, remedy: "retry the single steps in it" };
  if (timeoutMs !== undefined)
    return {
      why: ` inside '${name}', which has a time limit`,
      remedy: "give the single steps in it their limits, and the wait its timeoutMs",
    };
  return undo && { why: ` inside '${name}', which is undone as one`, remedy: "undo the single steps in it" };
}

function requirePlace(axon: string, { body, transition }: StepDefinition, here: Refusal | undefined): void {
  if (here === undefined || (body.kind !== "wait" && body.kind !== "start")) return;
  if (body.kind === "start" && here.begins) return;
  const does = body.kind === "wait" ? "waits" : "begins a run";
  throw new FrameworkError(
    "WAIT_MISPLACED",
    `Step '${transition.name}' of Axon '${axon}' ${does}${here.why}: ${here.remedy}`,
  );
}

function requireOneSchema(axon: string, { body }: StepDefinition, signals: Map<string, AnySignal>): void {
  if (body.kind !== "wait" || body.wait.kind !== "signals") return;
  for (const kind of body.wait.signals) {
    const { schema } = signals.get(kind.name) ?? kind;
    signals.set(kind.name, kind);
    if (JSON.stringify(schema) !== JSON.stringify(kind.schema))
      throw invalidOption(
        `Axon '${axon}'`,
        `two kinds of the signal '${kind.name}' have different schemas, and a run would take either: rename one`,
      );
  }
}
