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
import { asStoreCall } from "#core/timeline/inner-span.js";
import { checkedStep } from "../check/checked-step.js";
import { uuidOf } from "../kept/name-uuid.js";
import { inTime } from "../run/in-time.js";
import type { Instruction } from "../run/instruction.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunState } from "../run/run-state.js";
import { SINK_MS, unwritten } from "../run/unwritten-audit.js";

/** Maximum number of different events in one visit. */
const MAX_STATEMENTS = 100;

/** Of metadata that are masked. */
const MAX_DEPTH = 500;
const MAX_VALUES = 100_000;

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
      const appended = asStoreCall(bus, "AuditSink.append", inTime(append(), SINK_MS, clock));
      return appended.then(() => input, failed);
    },
  };
}

/** The entry with its metadata masked by the names that mounted schemas mark. */
function withoutMarked(entry: AuditEntry): AuditEntry {
  const { metadata, ...texts } = entry;
  return metadata === undefined
    ? entry
    : { ...texts, metadata: new Masked().of(metadata) as typeof metadata };
}

/** Copies plain objects and lists only: the sink judges other values, and cycles. */
class Masked {
  readonly #above: object[] = [];
  #values = 0;

  of(value: unknown): unknown {
    if (typeof value !== "object" || value === null || this.#above.includes(value)) return value;
    this.#values += Array.isArray(value) ? value.length + 1 : 1;
    // So large that its sink would cut it.
    if (this.#above.length > MAX_DEPTH || this.#values > MAX_VALUES) return REDACTED;
    this.#above.push(value);
    const copy = Array.isArray(value) ? value.map((item) => this.of(item)) : this.#members(value);
    this.#above.pop();
    return copy;
  }

  #members(value: object): object {
    const members = Object.entries(Object.getOwnPropertyDescriptors(value));
    const isPlain = Object.getPrototypeOf(value) === Object.prototype;
    if (!isPlain || members.some(([, { get }]) => get !== undefined)) return value;
    return Object.fromEntries(
      members.map(([name, { value: inner }]) => [name, isMarkedName(name) ? REDACTED : this.of(inner)]),
    );
  }
}

/** AL1. */
async function once(sink: AuditSink, entry: AuditEntry, node: string, state: RunState): Promise<void> {
  const runId = state.values[state.slotOf(RunId)] as string;
  const visit = [runId, node, state.jumpsTaken];
  const metadata = { run_id: runId, ...entry.metadata };
  for (let statement = 0; ; statement += 1)
    try {
      const id = uuidOf(JSON.stringify(statement === 0 ? visit : [...visit, statement]));
      await sink.append({ ...entry, metadata, id });
      return;
    } catch (error) {
      if (codeOf(error) !== "AUDIT_ID_TAKEN" || statement + 1 >= MAX_STATEMENTS) throw error;
    }
}

/** An error of the program, not of the sink: a retry cannot succeed. */
const isMistake = (error: unknown): boolean =>
  codeOf(error) === "AUDIT_EVENT_INVALID" || codeOf(error) === "AUDIT_ID_TAKEN";

const codeOf = (error: unknown): unknown => (error instanceof FrameworkError ? error.code : undefined);
