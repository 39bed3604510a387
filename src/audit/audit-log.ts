import type { BusView } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import type { Pass } from "#core/bus/outcome.js";
import { faultCodes } from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import {
  type KeysNamed,
  type NamedBus,
  type NamedDeclarations,
  type NamedKeys,
  type NoKeys,
  withNamedKeys,
} from "#core/flow/named-keys.js";
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

/** The Bus of the functions of an AuditLog. */
type AuditBus<Rd extends AnyKey, Mr extends AnyKey, U, M> = NamedBus<
  Rd,
  never,
  Mr,
  never,
  never,
  U,
  NoKeys,
  M
>;

export interface AuditLogOptions<
  In,
  Rd extends AnyKey,
  Mr extends AnyKey,
  U extends NamedKeys = NoKeys,
  M extends NamedKeys = NoKeys,
  B = AuditBus<Rd, Mr, U, M>,
> extends Omit<NamedDeclarations<U, NoKeys, M>, "sets"> {
  /** The action, such as `order.cancel`. */
  readonly action: Said<In, B, string>;
  /** The acting user, service or role. */
  readonly actor: Said<In, B, string>;
  /** The object of the action. */
  readonly target: Said<In, B, string>;
  /** The reason, in the actor's words. */
  readonly intent?: Said<In, B, string | undefined>;
  /** Plain JSON; more than 64 KiB is kept as its beginning and the hash of the whole. */
  readonly metadata?: Said<In, B, AuditEntry["metadata"]>;
  /** Keys without a name: `bus.get(key)`; `mayRead` for keys that may be absent. */
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
  ...["uses", "mayUse", "reads", "mayRead", "sink", "onFailure", "name", "description"],
];

/**
 * Records the next action of a run in an audit log, then passes its input on. Put it before the step
 * of the action. In a kept Axon an event is recorded once, however often its run is resumed, and its
 * metadata have the id of the run as `run_id`.
 */
export class AuditLog<
  in In,
  Rd extends AnyKey = never,
  Mr extends AnyKey = never,
  U extends NamedKeys = NoKeys,
  M extends NamedKeys = NoKeys,
> implements Transition<In, Promise<Pass>, Rd | KeysNamed<U>, never, Mr | KeysNamed<M>>
{
  readonly kind = "audit";
  readonly name: string;
  readonly description?: string;
  readonly reads: readonly (Rd | KeysNamed<U>)[];
  readonly mayRead: readonly (Mr | KeysNamed<M>)[];
  readonly perProcess?: string;
  readonly responses: readonly DeclaredResponse[];
  readonly audit: StepAudit;
  readonly run: (input: In, bus: BusView<Rd | KeysNamed<U>, never, Mr | KeysNamed<M>>) => Promise<Pass>;

  /** Throws CONFIG_INVALID. */
  constructor(options: AuditLogOptions<In, Rd, Mr, U, M>) {
    requireKnownOptions("AuditLog", options, OPTIONS);
    const { action, actor, target, intent, metadata, sink, onFailure = "refuse" } = options;
    for (const [field, said] of Object.entries({ action, actor, target }))
      if (typeof said !== "function" && (typeof said !== "string" || said === ""))
        throw invalidOption("AuditLog", `${field} is neither a text nor a function of the input and the Bus`);
    if (sink !== undefined) requireAuditSink("AuditLog", sink);
    this.name = options.name ?? (typeof action === "string" ? `audit ${action}` : "audit");
    if (options.description !== undefined) this.description = options.description;
    if (sink?.perProcess !== undefined) this.perProcess = sink.perProcess;
    type Bus = AuditBus<Rd, Mr, U, M>;
    const entryOf = (input: In, bus: Bus): AuditEntry => {
      const of = <T>(said: Said<In, Bus, T>): T =>
        typeof said === "function" ? (said as (input: In, bus: Bus) => T)(input, bus) : said;
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
    const { uses, mayUse, reads = [], mayRead = [] } = options;
    const named = withNamedKeys({
      ...{ name: this.name, reads, mayRead, run: entryOf },
      ...{ ...(uses !== undefined && { uses }), ...(mayUse !== undefined && { mayUse }) },
    });
    this.reads = named.reads;
    this.mayRead = named.mayRead;
    this.responses = onFailure === "refuse" ? declaredOf(faultCodes, "AUDIT_FAILED") : [];
    this.audit = {
      sink,
      onFailure: requireAuditFailureMode("AuditLog", onFailure),
      action: typeof action === "string" ? action : undefined,
      entryOf: named.run as StepAudit["entryOf"],
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
