// The data behind an Axon. Plain and immutable: compiling, drawing and explaining all read it.
// It includes migrations: an Axon may name the version that began its runs.

import type { TSchema } from "@sinclair/typebox";
import type { EventSink } from "#core/bus/event.js";
import { FrameworkError } from "#core/errors.js";
import type { IamBoundary } from "#core/flow/iam-boundary.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { AnyTransition } from "#core/flow/transition.js";
import type { AuditUse } from "#core/ports/audit-use.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { CallSite } from "./call-site.js";
import type { DlqPolicy } from "./dlq-policy.js";
import type { ExecutionMode } from "./execution-mode.js";
import type { Flow, flow } from "./flow.js";
import type { Merge, ParallelStrategy } from "./parallel-types.js";
import type { RetryPolicy } from "./retry-policy.js";
import type { RunLabel } from "./run-label.js";
import type { Compensation, SagaPolicy } from "./saga-policy.js";
import type { StartDefinition, WaitDefinition } from "./wait.js";

export type OutputCheck = "validate" | "pass";

/** Returns the subject's name as VerifiedIdentity has it; undefined to use the verified identity. */
export type SubjectOf<In> = (input: In) => string | undefined;

export type StepBody =
  | { readonly kind: "function" }
  | { readonly kind: "subgraph"; readonly axon: AxonDefinition }
  | { readonly kind: "wait"; readonly wait: WaitDefinition }
  | { readonly kind: "start"; readonly start: StartDefinition }
  | {
      readonly kind: "parallel";
      readonly steps: readonly StepDefinition[];
      readonly strategy: ParallelStrategy;
      readonly merge: Merge;
    };

export interface StepDefinition {
  readonly transition: AnyTransition;
  readonly body: StepBody;
  readonly retry: RetryPolicy<string> | undefined;
  readonly timeoutMs: number | undefined;
  readonly undo: Compensation | undefined;
  /** Index among the steps of this name, from 0: names may repeat. */
  readonly occurrence: number;
  readonly branches: ReadonlyMap<string, AxonDefinition>;
  readonly site: CallSite;
}

export interface LayerDefinition {
  readonly layer: AnyLayer;
  readonly occurrence: number;
}

/** The requirements of `withIam`. */
export interface IamDefinition {
  readonly step: StepDefinition;
  readonly boundary: IamBoundary;
  /** Why a route requires less than the Axon itself does. */
  readonly weakened: string | undefined;
}

/**
 * When the completion of a step is stored. "sync": before the next step begins. "async": while the
 * run continues; a stop may lose the last ones, and those steps run again. "none": never; a run
 * restarts from its first step.
 */
export type CheckpointMode = "sync" | "async" | "none";

/** Where and when the runs of an Axon are stored. */
export interface Persistence {
  readonly store: RunStore;
  readonly checkpoint: CheckpointMode;
  readonly timeoutMs: number;
  readonly maxValueChars: number;
  readonly maxLogEntries: number;
  readonly maxLogChars: number;
  readonly migrations: readonly Migration[];
  readonly retain?: RetainOptions;
}

/** For how many days ended runs are kept, each a whole number from 1 to 36 500. Default: as the store keeps its runs. */
export interface RetainOptions {
  /** Completed and cancelled runs. */
  readonly endedDays?: number;
  readonly failedDays?: number;
}

/** The treatment of a run that another version of its Axon began. */
export type MigrationStrategy =
  | { readonly kind: "fail" }
  | {
      readonly kind: "migrate-active-node";
      readonly oldNode: string;
      readonly newNode: string;
      readonly mapInput: MapInput;
    }
  | { readonly kind: "fallback-to-node"; readonly node: string; readonly mapInput: MapInput }
  | { readonly kind: "resume-from-start" }
  | { readonly kind: "complete-on-old-version"; readonly axon: OldAxon };

/** Converts the input of the old step to the input of the new one. */
export type MapInput = (input: unknown, oldNode: string) => unknown;

/** The treatment of the runs of one version. If several fit a run, the first applies. */
export interface Migration {
  /** The version that began the runs. */
  readonly from: string;
  readonly strategy: MigrationStrategy;
}

/** An Axon as the definition of another Axon refers to it. */
interface OldAxon {
  readonly [flow]: Flow<never, unknown, unknown, unknown, unknown, unknown>;
  /** @internal */
  readonly definition: AxonDefinition;
}

/** The old Axons that complete runs of their versions. */
export const oldVersionsOf = ({ persistence }: AxonDefinition): readonly AxonDefinition[] =>
  (persistence?.migrations ?? []).flatMap(({ strategy }) =>
    strategy.kind === "complete-on-old-version" ? [strategy.axon.definition] : [],
  );

export interface AxonDefinition {
  readonly name: string;
  readonly version: string;
  readonly input: TSchema | undefined;
  readonly output: TSchema | undefined;
  /** Undefined: as the mode says. */
  readonly outputCheck: OutputCheck | undefined;
  /** The layers that an ingress puts around it, the outermost first, and the guards in front. */
  readonly layers: readonly LayerDefinition[];
  readonly guards: readonly StepDefinition[];
  readonly iam: IamDefinition | undefined;
  readonly steps: readonly StepDefinition[];
  readonly labels: ReadonlyMap<string, number>;
  readonly sinks: readonly EventSink[];
  readonly saga: SagaPolicy | undefined;
  readonly dlqSink: DeadLetterSink | undefined;
  readonly dlqPolicy: DlqPolicy | undefined;
  /** The audit log of its audited steps and of interventions in its runs. */
  readonly audit: AuditUse | undefined;
  readonly maxJumps: number;
  /** Its own layers: surrounding Axons have their own. */
  readonly mode: ExecutionMode;
  /** Applies to the outermost Axon only: a run has one log. */
  readonly persistence: Persistence | undefined;
  /** Names the person a run is about. Applies to the outermost Axon only. */
  readonly subject: SubjectOf<never> | undefined;
  /** The checks of the labels that its runs may have. A run has those of all Axons inside, too. */
  readonly runLabels: ReadonlyMap<string, RunLabel>;
  /** Applies to the outermost Axon only. */
  readonly budget: Budget | undefined;
  readonly site: CallSite;
}

/** Upper bounds for a run. */
export interface Budget {
  /** The 99th percentile of the duration, in milliseconds. */
  readonly p99Ms?: number;
  /** Bytes of heap that a run allocates. */
  readonly bytes?: number;
}

/** All steps of its line, in order: the guards in front, then its own steps. */
export const allStepsOf = ({ guards, iam, steps }: AxonDefinition): readonly StepDefinition[] => [
  ...guards,
  ...(iam === undefined ? [] : [iam.step]),
  ...steps,
];

/** Visits an Axon and its steps, and the Axons that are attached to it or run inside. */
export interface Visitor {
  readonly axon?: (axon: AxonDefinition) => void;
  /** Returns false to skip the Axons inside the step. */
  readonly step?: (step: StepDefinition) => unknown;
}

export function visitAxon(axon: AxonDefinition, visitor: Visitor): void {
  visitor.axon?.(axon);
  for (const step of allStepsOf(axon)) visitStep(step, visitor);
}

export function visitStep(step: StepDefinition, visitor: Visitor): void {
  if (visitor.step?.(step) === false) return;
  const { body, branches } = step;
  if (body.kind === "subgraph") visitAxon(body.axon, visitor);
  if (body.kind === "parallel") for (const inner of body.steps) visitStep(inner, visitor);
  for (const attached of branches.values()) visitAxon(attached, visitor);
}

/** The schema of the output: the Axon's own, else its last step's if no other path rejoins. */
export function outputSchemaOf(axon: AxonDefinition): TSchema | undefined {
  const last = axon.steps.at(-1);
  if (axon.output !== undefined || last === undefined || last.branches.size > 0) return axon.output;
  return last.transition.output;
}

const same: MapInput = (input) => input;

export const MigrationStrategy = Object.freeze({
  /** The run stays stored: resuming it is a RUN_INCOMPATIBLE fault. The default. */
  fail(): MigrationStrategy {
    return Object.freeze({ kind: "fail" });
  },

  /** A run that was about to run `oldNode` resumes at `newNode`. Other runs are left to the next migration. */
  migrateActiveNode(oldNode: string, newNode: string, mapInput: MapInput = same): MigrationStrategy {
    return Object.freeze({ kind: "migrate-active-node", oldNode, newNode, mapInput });
  },

  /** A run resumes at `node`, whatever its position. */
  fallbackToNode(node: string, mapInput: MapInput = same): MigrationStrategy {
    return Object.freeze({ kind: "fallback-to-node", node, mapInput });
  },

  /** A run restarts with its original input. Its completed steps still count as completed. */
  resumeFromStart(): MigrationStrategy {
    return Object.freeze({ kind: "resume-from-start" });
  },

  /** The Axon that began a run finishes it. Both Axons have the same store. */
  completeOnOldVersion(axon: OldAxon): MigrationStrategy {
    if (axon?.definition?.persistence === undefined)
      throw new FrameworkError(
        "CONFIG_INVALID",
        "MigrationStrategy.completeOnOldVersion takes the old Axon, with its withPersistenceStore",
      );
    return Object.freeze({ kind: "complete-on-old-version", axon });
  },
});
