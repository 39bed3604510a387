// The data behind an Axon. Plain and immutable: compiling, drawing and explaining all read this.
// An Axon may name the one that began its runs, so what becomes of those stands here too.

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
import type { Compensation, SagaPolicy } from "./saga-policy.js";

export type OutputCheck = "validate" | "pass";

/** Answers the subject's name as VerifiedIdentity has it; undefined where that says it. */
export type SubjectOf<In> = (input: In) => string | undefined;

export type StepBody =
  | { readonly kind: "function" }
  | { readonly kind: "subgraph"; readonly axon: AxonDefinition }
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
  /** The first step of this name is 0, the second 1: names may repeat. */
  readonly occurrence: number;
  readonly branches: ReadonlyMap<string, AxonDefinition>;
  readonly site: CallSite;
}

export interface LayerDefinition {
  readonly layer: AnyLayer;
  readonly occurrence: number;
}

/** What `withIam` asks for. */
export interface IamDefinition {
  readonly step: StepDefinition;
  readonly boundary: IamBoundary;
  /** Why less is asked for than the Axon itself does, where a route says so. */
  readonly weakened: string | undefined;
}

/**
 * When it is kept that a step is completed. "sync": before the next begins. "async": while
 * the run goes on; a stop may lose the last ones, and they are run again. "none": never;
 * a run goes on from its start.
 */
export type CheckpointMode = "sync" | "async" | "none";

/** Where and when the runs of an Axon are kept. */
export interface Persistence {
  readonly store: RunStore;
  readonly checkpoint: CheckpointMode;
  readonly timeoutMs: number;
  readonly maxValueChars: number;
  readonly migrations: readonly Migration[];
}

/** What becomes of a run that another version of its Axon began. */
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

/** Makes of what the old step would have got what the new one takes. */
export type MapInput = (input: unknown, oldNode: string) => unknown;

/** What becomes of the runs of one version. Of several that fit a run the first is taken. */
export interface Migration {
  /** The version that began them. */
  readonly from: string;
  readonly strategy: MigrationStrategy;
}

/** An Axon as the definition of another one knows it. */
interface OldAxon {
  readonly [flow]: Flow<never, unknown, unknown, unknown, unknown, unknown>;
  /** @internal */
  readonly definition: AxonDefinition;
}

export interface AxonDefinition {
  readonly name: string;
  readonly version: string;
  readonly input: TSchema | undefined;
  readonly output: TSchema | undefined;
  /** Undefined: as the mode says. */
  readonly outputCheck: OutputCheck | undefined;
  /** What an ingress puts around it, the outermost first; and in front. */
  readonly layers: readonly LayerDefinition[];
  readonly guards: readonly StepDefinition[];
  readonly iam: IamDefinition | undefined;
  readonly steps: readonly StepDefinition[];
  readonly labels: ReadonlyMap<string, number>;
  readonly sinks: readonly EventSink[];
  readonly saga: SagaPolicy | undefined;
  readonly dlqSink: DeadLetterSink | undefined;
  readonly dlqPolicy: DlqPolicy | undefined;
  /** Where its audited steps and interventions in its runs are recorded. */
  readonly audit: AuditUse | undefined;
  readonly maxJumps: number;
  /** Its own: those around it have theirs. */
  readonly mode: ExecutionMode;
  /** Counts where it is the outermost: a run has one log. */
  readonly persistence: Persistence | undefined;
  /** Names the person a run is about. Counts where it is the outermost. */
  readonly subject: SubjectOf<never> | undefined;
  /** Counts where it is the outermost. */
  readonly budget: Budget | undefined;
  readonly site: CallSite;
}

/** What a run may take at most. */
export interface Budget {
  /** Of a hundred runs the slowest, in milliseconds. */
  readonly p99Ms?: number;
  /** Bytes of heap that a run allocates. */
  readonly bytes?: number;
}

/** All that is run in its line, in order: what stands in front, then its own. */
export const allStepsOf = ({ guards, iam, steps }: AxonDefinition): readonly StepDefinition[] => [
  ...guards,
  ...(iam === undefined ? [] : [iam.step]),
  ...steps,
];

/** Told of an Axon and its steps, and of those that are attached to it or run inside. */
export interface Visitor {
  readonly axon?: (axon: AxonDefinition) => void;
  /** Where it answers false what stands in the step is left out. */
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

/** The schema of what comes out: the Axon's own, else that of its last step where nothing else rejoins. */
export function outputSchemaOf(axon: AxonDefinition): TSchema | undefined {
  const last = axon.steps.at(-1);
  if (axon.output !== undefined || last === undefined || last.branches.size > 0) return axon.output;
  return last.transition.output;
}

const same: MapInput = (input) => input;

export const MigrationStrategy = Object.freeze({
  /** It stays where it is: resuming it is a RUN_INCOMPATIBLE fault. The default. */
  fail(): MigrationStrategy {
    return Object.freeze({ kind: "fail" });
  },

  /** A run that was about to run `oldNode` goes on at `newNode`. Others are left to the next migration. */
  migrateActiveNode(oldNode: string, newNode: string, mapInput: MapInput = same): MigrationStrategy {
    return Object.freeze({ kind: "migrate-active-node", oldNode, newNode, mapInput });
  },

  /** A run goes on at `node`, wherever it was. */
  fallbackToNode(node: string, mapInput: MapInput = same): MigrationStrategy {
    return Object.freeze({ kind: "fallback-to-node", node, mapInput });
  },

  /** A run begins again, with the input that it began with. What it completed counts as completed still. */
  resumeFromStart(): MigrationStrategy {
    return Object.freeze({ kind: "resume-from-start" });
  },

  /** A run is brought to its end by the Axon that began it, which has the same store. */
  completeOnOldVersion(axon: OldAxon): MigrationStrategy {
    if (axon?.definition?.persistence === undefined)
      throw new FrameworkError(
        "CONFIG_INVALID",
        "MigrationStrategy.completeOnOldVersion takes the old Axon, with its withPersistenceStore",
      );
    return Object.freeze({ kind: "complete-on-old-version", axon });
  },
});
