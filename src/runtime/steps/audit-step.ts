// Runs an AuditLog: records the events that its functions return, then passes the input on.
//
//   AL1. In a stored run the event id is made of run, node and visit: a step that runs again
//        after a stop finds its event already stored. A retried part that returns different data
//        adds a second event.
//   AL2. With "refuse", a run stops if its event is not stored: it ends as AUDIT_FAILED.

import { fault } from "#core/bus/outcome.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import type { Clock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyTransition } from "#core/flow/transition.js";
import type { AuditEntry } from "#core/ports/audit-event.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import type { AuditUse, StepAudit } from "#core/ports/audit-use.js";
import { RunId } from "#core/ports/run-store.js";
import { REDACTED } from "#core/secrets/secret.js";
import { isMarkedName } from "#core/secrets/sensitive-names.js";
import { checkedStep } from "../check/checked-step.js";
import { uuidOf } from "../kept/name-uuid.js";
import { inTime } from "../run/in-time.js";
import type { Instruction } from "../run/instruction.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunState } from "../run/run-state.js";
import { SINK_MS, unwritten } from "../run/unwritten-audit.js";

/** Maximum number of different events in one visit. */
const MAX_STATEMENTS = 100;

/** Deeper than metadata may be: a sink keeps those as a cut text. */
const MAX_DEPTH = 500;

interface Surroundings {
  readonly production: boolean;
  readonly clock: Clock;
  readonly program: ProgramPort;
}

/** The step of a transition, with its declarations enforced outside production. */
export function ownStep(
  transition: AnyTransition,
  node: string,
  use: AuditUse | undefined,
  around: Surroundings,
): Instruction["step"] {
  const { audit } = transition;
  if (audit !== undefined) return auditStep(transition, audit, node, use, around);
  return around.production ? transition : checkedStep(transition);
}

function auditStep(
  transition: AnyTransition,
  audit: StepAudit,
  node: string,
  use: AuditUse | undefined,
  { production, clock, program }: Surroundings,
): Instruction["step"] {
  const { name } = transition;
  const sink = audit.sink ?? use?.sink;
  if (sink === undefined)
    throw new FrameworkError(
      "AUDIT_SINK_MISSING",
      `Step '${name}' of Axon '${program.name}' has no audit log: give it a sink, call withAuditSink(sink) on its Axon, or mount that on an ingress with .stores(openStores(...))`,
    );
  const said = { ...transition, run: audit.entryOf as AnyTransition["run"] };
  const entryOf = production ? said : checkedStep(said);
  const reported = { axon: program.name, step: name };
  return {
    run(input, bus) {
      const { state } = bus;
      const said = entryOf.run(input, bus) as AuditEntry;
      const entry = sink.masksMetadata === true ? said : withoutMarked(said);
      const failed = (error: unknown): unknown => {
        if (audit.onFailure === "refuse" && isMistake(error)) throw error;
        const origin = program.reportOf(state.request);
        program.reporter({ ...unwritten(entry, audit.onFailure, error), ...reported, ...origin });
        return audit.onFailure === "log"
          ? input
          : fault(runtimeFault({ code: "AUDIT_FAILED", step: name, cause: error }));
      };
      const isKept = program.journal !== undefined;
      const append = async (): Promise<unknown> =>
        isKept ? once(sink, entry, node, state) : sink.append(entry);
      return inTime(append(), SINK_MS, clock).then(() => input, failed);
    },
  };
}

/** The entry with its metadata masked by the names that mounted schemas mark. */
function withoutMarked(entry: AuditEntry): AuditEntry {
  const { metadata, ...texts } = entry;
  return metadata === undefined ? entry : { ...texts, metadata: masked(metadata, 0) as typeof metadata };
}

/** Copies plain objects and lists only: the sink judges other values, and what is deeper. */
function masked(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, depth + 1));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isMarkedName(name) ? REDACTED : masked(inner, depth + 1),
    ]),
  );
}

/** AL1. */
async function once(sink: AuditSink, entry: AuditEntry, node: string, state: RunState): Promise<void> {
  const visit = [state.values[state.slotOf(RunId)], node, state.jumpsTaken];
  for (let statement = 0; ; statement += 1)
    try {
      const id = uuidOf(JSON.stringify(statement === 0 ? visit : [...visit, statement]));
      await sink.append({ ...entry, id });
      return;
    } catch (error) {
      if (codeOf(error) !== "AUDIT_ID_TAKEN" || statement + 1 >= MAX_STATEMENTS) throw error;
    }
}

/** An error of the program, not of the sink: a retry cannot succeed. */
const isMistake = (error: unknown): boolean =>
  codeOf(error) === "AUDIT_EVENT_INVALID" || codeOf(error) === "AUDIT_ID_TAKEN";

const codeOf = (error: unknown): unknown => (error instanceof FrameworkError ? error.code : undefined);
