import type { BusView } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import type { Pass } from "#core/bus/outcome.js";
import { faultCodes } from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import type { Transition } from "#core/flow/transition.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { AuditEntry } from "#core/ports/audit-event.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import {
  type AuditFailureMode,
  requireAuditFailureMode,
  requireAuditSink,
  type StepAudit,
} from "#core/ports/audit-use.js";

type Said<In, Bus, T> = T | ((input: In, bus: Bus) => T);

export interface AuditLogOptions<In, Rd extends AnyKey, Mr extends AnyKey> {
  /** The action, such as `order.cancel`. */
  readonly action: Said<In, BusView<Rd, never, Mr>, string>;
  /** The acting user, service or role. */
  readonly actor: Said<In, BusView<Rd, never, Mr>, string>;
  /** The object of the action. */
  readonly target: Said<In, BusView<Rd, never, Mr>, string>;
  /** The reason, in the actor's words. */
  readonly intent?: Said<In, BusView<Rd, never, Mr>, string | undefined>;
  /** Plain JSON; more than 64 KiB is kept as its beginning and the hash of the whole. */
  readonly metadata?: Said<In, BusView<Rd, never, Mr>, AuditEntry["metadata"]>;
  /** Keys of the Bus that the functions read; `mayRead` for keys that may be absent. */
  readonly reads?: readonly Rd[];
  readonly mayRead?: readonly Mr[];
  /** Default: the sink of the Axon (`withAuditSink`), else that of the ingress on which it is mounted. */
  readonly sink?: AuditSink;
  /**
   * If the event cannot be kept: "refuse", the default, ends the run as AUDIT_FAILED, 503 in a
   * response; "log" reports it as AUDIT_UNWRITTEN, and the run continues.
   */
  readonly onFailure?: AuditFailureMode;
  /** Default: `audit` and the action, if that is a text. */
  readonly name?: string;
  readonly description?: string;
}

const OPTIONS = [
  ...["action", "actor", "target", "intent", "metadata"],
  ...["reads", "mayRead", "sink", "onFailure", "name", "description"],
];

/**
 * Records the next action of a run in an audit log, then passes its input on. Put it before the step
 * of the action. In a kept Axon an event is recorded once, however often its run is resumed.
 */
export class AuditLog<in In, Rd extends AnyKey = never, Mr extends AnyKey = never>
  implements Transition<In, Promise<Pass>, Rd, never, Mr>
{
  readonly kind = "audit";
  readonly name: string;
  readonly description?: string;
  readonly reads: readonly Rd[];
  readonly mayRead: readonly Mr[];
  readonly perProcess?: string;
  readonly responses: readonly DeclaredResponse[];
  readonly audit: StepAudit;
  readonly run: (input: In, bus: BusView<Rd, never, Mr>) => Promise<Pass>;

  /** Throws CONFIG_INVALID. */
  constructor(options: AuditLogOptions<In, Rd, Mr>) {
    requireKnownOptions("AuditLog", options, OPTIONS);
    const { action, actor, target, intent, metadata, sink, onFailure = "refuse" } = options;
    for (const [field, said] of Object.entries({ action, actor, target }))
      if (typeof said !== "function" && (typeof said !== "string" || said === ""))
        throw invalidOption("AuditLog", `${field} is neither a text nor a function of the input and the Bus`);
    if (sink !== undefined) requireAuditSink("AuditLog", sink);
    this.name = options.name ?? (typeof action === "string" ? `audit ${action}` : "audit");
    if (options.description !== undefined) this.description = options.description;
    this.reads = options.reads ?? [];
    this.mayRead = options.mayRead ?? [];
    if (sink?.perProcess !== undefined) this.perProcess = sink.perProcess;
    const entryOf = (input: In, bus: BusView<Rd, never, Mr>): AuditEntry => {
      const of = <T>(said: Said<In, BusView<Rd, never, Mr>, T>): T =>
        typeof said === "function"
          ? (said as (input: In, bus: BusView<Rd, never, Mr>) => T)(input, bus)
          : said;
      const why = of(intent);
      const more = of(metadata);
      return {
        actor: of(actor),
        action: of(action),
        target: of(target),
        ...(why !== undefined && { intent: why }),
        ...(more !== undefined && { metadata: more }),
      };
    };
    this.responses = onFailure === "refuse" ? declaredOf(faultCodes, "AUDIT_FAILED") : [];
    this.audit = {
      sink,
      onFailure: requireAuditFailureMode("AuditLog", onFailure),
      action: typeof action === "string" ? action : undefined,
      entryOf: entryOf as StepAudit["entryOf"],
    };
    this.run = () => {
      throw new FrameworkError(
        "AXON_STEP_INVALID",
        `'${this.name}' records as a step of an Axon: append it to one, and run that`,
      );
    };
    Object.freeze(this);
  }
}
