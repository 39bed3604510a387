// Wraps a step in its policies: its compensation innermost, then its time limit, then its retries.

import type { Clock } from "#core/clock.js";
import type { AuditUse } from "#core/ports/audit-use.js";
import { bareUndo } from "../check/checked-step.js";
import type { StepDefinition } from "../definition/axon-definition.js";
import type { Compensation } from "../definition/saga-policy.js";
import { compensatedStep } from "../execute/saga.js";
import type { Instruction } from "../run/instruction.js";
import { undoId } from "../run/node-id.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunBus } from "../run/run-state.js";
import type { UndoStep } from "../run/undoing.js";
import { ownStep } from "./audit-step.js";
import { retryStep } from "./retry-step.js";
import { timeoutStep } from "./timeout-step.js";

interface Surroundings {
  readonly production: boolean;
  readonly clock: Clock;
  readonly program: ProgramPort;
}

const never = (): boolean => false;

/** Default time limit of one try of a compensation, in milliseconds. */
const MAX_UNDO_MS = 30_000;

export function withPolicies(
  { transition, retry, timeoutMs }: StepDefinition,
  node: string,
  body: Instruction["step"],
  undo: UndoStep<RunBus> | undefined,
  isLast: () => boolean,
  { clock, program }: Surroundings,
): Instruction["step"] {
  const { name, offload } = transition;
  const limit = { name, node, clock, isLast, isOffloaded: offload !== undefined };
  const undone = undo === undefined ? body : compensatedStep(program, body, { ...undo, node });
  const timed = timeoutMs === undefined ? undone : timeoutStep(program, { ...limit, timeoutMs }, undone);
  return retry === undefined ? timed : retryStep({ name, node, step: timed, policy: retry, clock });
}

/** The compensation of a node's step, with its own policies. */
export function undoOf(
  { transition, isBare, retry, timeoutMs = MAX_UNDO_MS }: Compensation,
  node: string,
  audit: AuditUse | undefined,
  around: Surroundings,
): Omit<UndoStep<RunBus>, "kept"> {
  const { production, clock, program } = around;
  const { name, offload } = transition;
  const isUnchecked = isBare && !production;
  const step = isUnchecked ? bareUndo(transition) : ownStep(transition, undoId(node), audit, around);
  // A compensation that never settles would hold the run without any report.
  const limit = { name, node, timeoutMs, clock, isLast: never, isOffloaded: offload !== undefined };
  const timed = timeoutStep(program, limit, step);
  return {
    name,
    step: retry === undefined ? timed : retryStep({ name, node, step: timed, policy: retry, clock }),
  };
}
