// The runs of mounted Axons that stores keep: list them, show, begin, resume, cancel, forget one.
// A run at work takes `force` to be resumed; one that no host owns, if its log has grown within
// ACTIVE_MS: it may be at work. Of two that resume one run only one does in any case (RE1). The
// caller waits ANSWER_MS; then the run continues, and a rejection is reported.

import type { Static, TSchema } from "@sinclair/typebox";

import type { Bus } from "#core/bus/bus.js";
import { labelIn } from "#core/bus/label.js";
import { type Fault, fault, isFault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import { isRunCancelled, isRuntimeFault } from "#core/bus/runtime-fault.js";
import { type Clock, systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import type { RunWait } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import { cancelRun } from "#runtime/axon/cancel.js";
import { resumeRun } from "#runtime/axon/resume.js";
import { declaredSignals } from "#runtime/axon/signal-payload.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { listedRuns } from "#runtime/hosting/listed-runs.js";
import type { RunHost } from "#runtime/hosting/run-host.js";
import { type Hosted, unfitReason } from "#runtime/hosting/unfit-reason.js";
import type { RunOwner } from "#runtime/kept/appended.js";
import { waitIn } from "#runtime/kept/run-history.js";
import { type RunLog, readLog } from "#runtime/kept/run-log.js";
import { readSummary } from "#runtime/kept/run-summary.js";
import { decode } from "#runtime/kept/stored-value.js";
import { cancelIn, failureIn, stateIn } from "#runtime/kept/told-run.js";
import { waitState } from "#runtime/kept/waiting-run.js";
import { BY_PROGRAM, type Intervention } from "#runtime/run/intervention.js";
import { axonId, egressId } from "#runtime/run/node-id.js";
import { isRunId } from "#runtime/run/run-id.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import { LATE, withDeadline } from "../api/deadline.js";
import { InspectorFault, inspectorFault } from "../api/fault.js";
import type {
  CancelledRun,
  CancelRequest,
  ForgottenRun,
  KeptRun,
  ResumedRun,
  ResumeRequest,
  RunListQuery,
  SignalledRun,
  SignalRequest,
  StartedRun,
  StartRequest,
  UnfinishedQuery,
  WokenRun,
} from "../api/runs.js";
import type { DrawnNodes } from "../traces/drawn-nodes.js";
import { faultReason } from "../traces/fault-reason.js";
import { OFF, type PayloadCapture, payloadOf } from "../traces/payload-capture.js";
import { begun, forgotten, unkept, unknown } from "./kept-lives.js";
import { type OfRun, signalled, woken } from "./kept-signals.js";
import {
  cancelOf,
  hostsIn,
  type ListedHosts,
  rowOf,
  traceIdOf,
  type Unfinished,
  waitOf,
} from "./listed-runs.js";
import { runList } from "./run-list.js";
import { toldEntries } from "./told-entries.js";

const ACTIVE_MS = 60_000;
const MAX_ENTRIES = 1000;

type Data<S extends TSchema> = Static<S> extends { readonly data: infer D } ? D : never;
type Cancelled = Data<typeof CancelledRun>;
type Resumed = Data<typeof ResumedRun>;
type Signalled = Data<typeof SignalledRun>;
type Started = Data<typeof StartedRun>;
type Forgotten = Data<typeof ForgottenRun>;
type Woken = Data<typeof WokenRun>;

export interface KeptRunsOptions {
  readonly axons: readonly AxonDefinition[];
  readonly resources: Bus;
  /** The owner of runs resumed here. */
  readonly owner?: (RunOwner & Partial<Hosted & Pick<RunHost, "left">>) | undefined;
  readonly nodes: DrawnNodes;
  readonly capture: PayloadCapture;
  readonly reporter: Reporter;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

interface Found {
  readonly axon: AxonDefinition;
  readonly entries: readonly RunEntry[];
  readonly log: RunLog;
}

export class KeptRuns {
  readonly #options: KeptRunsOptions;
  readonly #axons: readonly AxonDefinition[];
  readonly #clock: Clock;
  readonly #wallClock: () => number;

  constructor(options: KeptRunsOptions) {
    this.#options = options;
    this.#axons = options.axons.filter(({ persistence }) => persistence !== undefined);
    this.#clock = options.clock ?? systemClock;
    this.#wallClock = options.wallClock ?? Date.now;
  }

  get isKept(): boolean {
    return this.#axons.length > 0;
  }

  /** True if other processes may have runs of their own. */
  get isPerProcess(): boolean {
    return this.#axons.some((axon) => storeOf(axon).perProcess !== undefined);
  }

  /** In the order in which they began. The actor of a cancellation is told to operators. */
  async unfinished(query: UnfinishedQuery, isOperator = false): Promise<Unfinished> {
    const { circuit, label, limit = 100 } = query;
    const wanted = label === undefined ? undefined : labelIn(label);
    const asked = this.#axons.filter(
      (axon) =>
        (circuit === undefined || axon.name === circuit) &&
        (wanted === undefined || storeOf(axon).findsLabels === true),
    );
    const axons = this.#options.owner?.axons ?? [];
    const found = await Promise.all(
      asked.map((axon) => {
        const filter = { axon: axon.name, limit, ...(wanted && { label: wanted }) };
        return listedRuns(storeOf(axon), axons, filter, query.state);
      }),
    );
    return found
      .flat()
      .map((listed) => rowOf(listed, isOperator))
      .sort((a, b) => a.began_at - b.began_at)
      .slice(0, limit);
  }

  /** Ended ones too, the newest first. */
  list(query: RunListQuery, isOperator = false): ReturnType<typeof runList> {
    const asked = this.#axons.filter(({ name }) => query.circuit === undefined || name === query.circuit);
    const stores = [...new Set(asked.map(storeOf))];
    const axons = asked.map(({ name }) => name);
    return runList({ stores, axons, release: this.#options.owner?.release, isOperator }, query);
  }

  /** Of all stores. */
  hosts(): Promise<ListedHosts> {
    return hostsIn([...new Set(this.#axons.map(storeOf))], this.#options.owner?.left?.draining ?? []);
  }

  async has(id: string): Promise<boolean> {
    for (const axon of this.#axons)
      if ((await readSummary(storeOf(axon), id, false))?.axon === axon.name) return true;
    return false;
  }

  async show(id: string, isOperator = false): Promise<KeptRun | Fault<InspectorFault>> {
    const found = await this.#find(id);
    if (found === undefined) return unknown(id);
    const { axon, entries, log } = found;
    const { nodes } = this.#options;
    const row = await storeOf(axon).ownership?.(id);
    const failure = failureIn(log);
    const told = stateIn(log, failure);
    const wait = told === "running" ? (row?.wait ?? (log.wait && waitIn(log.wait))) : undefined;
    const state = wait === undefined ? told : waitState(wait);
    const mayBeUnfit = told === "running" && log.error === undefined;
    const unfit = mayBeUnfit ? await this.#unfit(storeOf(axon), id, wait) : null;
    const { node } = log.position;
    const watchedAs = isRunId(log.watchedAs) ? log.watchedAs : null;
    const isOver = log.end !== undefined;
    return {
      run_id: id,
      circuit: log.axon,
      version: log.version,
      state: unfit === null ? state : "unfit",
      is_undoing: !isOver && log.error !== undefined,
      owner: isOver || row?.host === undefined ? null : { host: row.host, is_alive: row.isAlive },
      cancel: cancelOf(row?.cancel ?? cancelIn(entries, failure), isOperator),
      fault: failure === undefined ? null : titleOf(failure),
      unfit,
      began_at: entries[0]?.at ?? 0,
      last_at: lastAt(entries),
      wait: waitOf(wait),
      trace_id: traceIdOf(log.trace),
      newest_run_id: watchedAs,
      node,
      label: nodes.of(log.axon, node).label,
      ...(log.labels && { labels: log.labels }),
      input: this.#shown(log.position.input, nodes.redactor(log.axon, node, "input")),
      bus: Object.keys(log.position.bus),
      completed: log.completed.map((step) => step.node),
      entries: this.#told(axon, entries, isOperator).slice(-MAX_ENTRIES),
      entries_dropped: Math.max(0, entries.length - MAX_ENTRIES),
    };
  }

  async #unfit(store: RunStore, id: string, wait: RunWait | undefined): Promise<string | null> {
    const { axons, release } = this.#options.owner ?? {};
    const run = await readSummary(store, id, false);
    if (run === undefined || axons === undefined || release === undefined) return null;
    return (await unfitReason({ axons, release }, store, id, { ...run, wait })) ?? null;
  }

  async resume(
    id: string,
    { force = false }: ResumeRequest,
    intervention = BY_PROGRAM,
  ): Promise<Resumed | Fault<InspectorFault>> {
    const found = await this.#unended(id);
    if (isFault(found)) return found;
    const { axon, entries, log } = found;
    const idleMs = this.#wallClock() - lastAt(entries);
    const isOwned = (await storeOf(axon).ownership?.(id))?.host !== undefined;
    if (!force && !isOwned && idleMs < ACTIVE_MS)
      return active(
        `The last entry of its log was made ${Math.max(0, Math.round(idleMs / 1000))} s ago: it may be at work`,
      );
    const { resources: bus, owner: by } = this.#options;
    const running = resumeRun(axon, id, { bus, by, intervention, force });
    const outcome = await this.#outcomeOf(running, id, axon.name).catch(unfitOf);
    const place = placeOf(id, log);
    if (outcome === LATE) return { ...place, result: "running", outcome: OFF };
    if (!isFault(outcome)) return { ...place, result: "completed", outcome: this.#outcome(axon, outcome) };
    if (outcome.error instanceof InspectorFault) return fault(outcome.error);
    const refused = refusalOf(outcome.error);
    if (refused !== undefined) return refused;
    return { ...place, result: "faulted", outcome: this.#captured(faultReason(outcome.error)) };
  }

  /** Also a run that another process runs: that process undoes it. */
  async cancel(
    id: string,
    { reason, force = false }: CancelRequest,
    intervention = BY_PROGRAM,
  ): Promise<Cancelled | Fault<InspectorFault>> {
    const found = await this.#unended(id);
    if (isFault(found)) return found;
    const { axon, log } = found;
    const { resources: bus, owner: by } = this.#options;
    const cancelling = cancelRun(axon, id, reason, { bus, by, intervention, force });
    const outcome = await this.#outcomeOf(cancelling, id, axon.name).catch(unfitOf);
    const place = placeOf(id, log);
    if (outcome === LATE || !isFault(outcome)) return { ...place, result: "cancelling", outcome: OFF };
    const { error } = outcome;
    if (error instanceof InspectorFault) return fault(error);
    const refused = refusalOf(error);
    if (refused !== undefined) return refused;
    const result = isRunCancelled(error) ? "cancelled" : "faulted";
    return { ...place, result, outcome: this.#captured(faultReason(error)) };
  }

  async signal(
    id: string,
    request: SignalRequest,
    intervention = BY_PROGRAM,
  ): Promise<Signalled | Fault<InspectorFault>> {
    const found = await this.#unended(id);
    if (isFault(found)) return found;
    const sent = await signalled(this.#ofRun(id, found, intervention), request);
    return isFault(sent) ? sent : { ...placeOf(id, found.log), signal: request.name, ...sent };
  }

  async wake(id: string, intervention = BY_PROGRAM): Promise<Woken | Fault<InspectorFault>> {
    const found = await this.#unended(id);
    if (isFault(found)) return found;
    const refused = await woken(this.#ofRun(id, found, intervention));
    return refused ?? { ...placeOf(id, found.log), result: "woken" };
  }

  async start(
    { circuit, input, run_id }: StartRequest & { readonly run_id: string },
    intervention = BY_PROGRAM,
  ): Promise<Started | Fault<InspectorFault>> {
    const axon = this.#axons.find(({ name }) => name === circuit);
    if (axon === undefined) return unkept(circuit);
    const of = this.#ofRun(run_id, { axon }, intervention);
    const result = (await this.has(run_id)) ? "known" : await begun(of, input);
    return isFault(result) ? result : { run_id, circuit, result };
  }

  /** Deletes a run that has ended, and its history. */
  async forget(id: string, intervention = BY_PROGRAM): Promise<Forgotten | Fault<InspectorFault>> {
    const found = await this.#find(id);
    if (found === undefined) return unknown(id);
    const refused = await forgotten(this.#ofRun(id, found, intervention));
    return refused ?? { ...placeOf(id, found.log), result: "forgotten" };
  }

  #ofRun(id: string, { axon }: Pick<Found, "axon">, intervention: Intervention): OfRun {
    const { owner, reporter } = this.#options;
    return { id, axon, store: storeOf(axon), owner, intervention, reporter, clock: this.#clock };
  }

  /** LATE while the run is under way after ANSWER_MS. */
  async #outcomeOf(running: Promise<unknown>, runId: string, axon: string): Promise<unknown> {
    const outcome = await withDeadline(this.#clock, running);
    if (outcome === LATE)
      running.catch((error) => {
        const message = `Run '${runId}' was resumed by the Inspector and could not go on`;
        this.#options.reporter({ code: "RUN_UNRESUMED", message, axon, error });
      });
    return outcome;
  }

  async #unended(id: string): Promise<Found | Fault<InspectorFault>> {
    const found = await this.#find(id);
    if (found === undefined) return unknown(id);
    if (found.log.end !== undefined)
      return inspectorFault("KEPT_RUN_ENDED", { detail: `Run '${id}' has ended` });
    return found;
  }

  async #find(id: string): Promise<Found | undefined> {
    for (const axon of this.#axons) {
      const entries = await storeOf(axon).read(id);
      const log = readLog(entries);
      if (log?.axon === axon.name) return { axon, entries, log };
    }
    return undefined;
  }

  #told(axon: AxonDefinition, entries: readonly RunEntry[], isOperator: boolean): KeptRun["entries"] {
    const { nodes } = this.#options;
    const signals = declaredSignals(axon);
    const schemaOf = (name: string) => signals.get(name)?.schema;
    const shown = (payload: Json, schema: TSchema | undefined) =>
      this.#shown(payload, schema === undefined ? nodes.redactorOfNames() : nodes.redactorOf(schema));
    return toldEntries(entries, { isOperator, schemaOf, shown });
  }

  /** A stored value. One that cannot be decoded is not shown. */
  #shown(stored: Json, redactor: Redactor): KeptRun["input"] {
    try {
      return this.#captured(decode(stored), redactor);
    } catch {
      return OFF;
    }
  }

  /** The outcome of the whole circuit. */
  #outcome({ name }: AxonDefinition, value: unknown): KeptRun["input"] {
    return this.#captured(value, this.#options.nodes.redactor(name, egressId(axonId(name)), "input"));
  }

  #captured(value: unknown, redactor = this.#options.nodes.redactorOfNames()): KeptRun["input"] {
    return payloadOf(this.#options.capture.capture(redactor, value));
  }
}

/** Of an Axon with persistence. */
const storeOf = ({ persistence }: AxonDefinition): RunStore =>
  (persistence as NonNullable<AxonDefinition["persistence"]>).store;

const placeOf = (run_id: string, { axon, position }: RunLog) => ({
  run_id,
  circuit: axon,
  node: position.node,
});

const lastAt = (entries: readonly RunEntry[]): number => entries.at(-1)?.at ?? 0;

function titleOf(error: unknown): NonNullable<KeptRun["fault"]> {
  const { code, title, detail } = faultReason(error);
  return { code, title: detail === null ? title : `${title}: ${detail}` };
}

const active = (why: string): Fault<InspectorFault> =>
  inspectorFault("KEPT_RUN_ACTIVE", {
    detail: `${why}. { "force": true } goes on with it all the same`,
    extensions: { takes_force: true },
  });

/** A FrameworkError names what the program lacks for the rest of the run. */
function unfitOf(error: unknown): Fault<InspectorFault> {
  if (!(error instanceof FrameworkError)) throw error;
  return inspectorFault("KEPT_RUN_UNFIT", { detail: error.message });
}

/** Why the run did not begin; undefined if it did. */
function refusalOf(error: unknown): Fault<InspectorFault> | undefined {
  if (!isRuntimeFault(error)) return undefined;
  if (error.code === "RUN_WAITING")
    return inspectorFault("KEPT_RUN_REFUSED", { detail: "It waits: send it a signal, or wake it" });
  if (error.code === "RUN_ENDED") return inspectorFault("KEPT_RUN_ENDED");
  if (error.code === "AUDIT_FAILED")
    return inspectorFault("ACTION_UNRECORDED", { headers: { "retry-after": "1" } });
  if (error.code === "RUN_OWNED") return active("A process whose lease lives runs it");
  if (error.code === "RUN_TAKEN")
    return inspectorFault("KEPT_RUN_ACTIVE", { detail: "Somebody else has gone on with it" });
  if (error.code === "RUN_INCOMPATIBLE") return inspectorFault("KEPT_RUN_UNFIT", { detail: error.reason });
  return undefined;
}
