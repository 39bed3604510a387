// Makes stored traces of traced runs. A value is copied when it is recorded: steps change
// values later. What is kept of a run under way is bounded in values, accesses, lines and
// bytes, and the runs under way in number.

import { FailureLog, Log } from "#core/bus/log.js";
import { type Fault, isBranch, isEmit, isFault, isJump } from "#core/bus/outcome.js";
import { runOutcomeOf } from "#core/bus/run-outcome.js";
import { RequestPath } from "#core/facts/ingress-facts.js";
import type { InnerSpans } from "#core/timeline/inner-span.js";
import { notesOf, type RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import type { Recorder, RunAnswer, TracedRun } from "#core/timeline/recorder.js";
import { whenAnswered } from "#http/answer/answered-faults.js";
import { ingressId } from "#runtime/run/node-id.js";
import { redactedPath } from "#schema/redaction/redacted-path.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import { type LineReader, originOf, REPORTS } from "#telemetry/logging/logger.js";
import type { ContinuedRuns } from "./continued-runs.js";
import type { DrawnNodes } from "./drawn-nodes.js";
import {
  answeredReason,
  causeOf,
  failedReason,
  faultReason,
  foreseenReason,
  needsProgram,
  type SeenError,
  seenError,
  seenThrown,
  sentReason,
} from "./fault-reason.js";
import { innerRows, rowsBytes } from "./inner-rows.js";
import { keptExchange, keptResponse } from "./kept-exchange.js";
import {
  bytesOf,
  type KeptAccess,
  type KeptLine,
  type KeptTrace,
  type KeptValue,
  keptLine,
  lineBytesOf,
  withoutErrorTexts,
} from "./kept-trace.js";
import { type Captured, costOf, type PayloadCapture } from "./payload-capture.js";
import { keptAccess, OWN_KEYS, RecordedTrace, RecordedTraces, requestOf } from "./recorded-trace.js";
import { RunReports } from "./run-reports.js";
import type { TraceStore } from "./trace-store.js";
import { failedVisit, visitsOf } from "./visits.js";

/** Runs at once of which values are kept. */
const MAX_DRAFTS = 10_000;
const MAX_EVENTS = 1000;
const MAX_VALUES = 500;
export const MAX_ACCESSES = 500;
const MAX_LINES = 100;
/** Of the captured values and lines of one run, and of all that are under way. */
const MAX_CAPTURED_BYTES = 256 * 1024;
const MAX_DRAFT_BYTES = 64 * 1024 * 1024;

const LOGS: ReadonlySet<string> = new Set([Log.name, FailureLog.name]);

/** In place of a value for which there was no room. */
const CUT: Captured = { kind: "full", text: '"[...]"', isCut: true, isExact: false };

export interface CollectorOptions {
  readonly store: TraceStore;
  readonly nodes: DrawnNodes;
  readonly capture: PayloadCapture;
  /** True for a run that is kept whatever the store wants. Default: none. */
  readonly isSought?: (run: TracedRun) => boolean;
  /** Tells which runs continue another. Default: none does. */
  readonly continued?: Pick<ContinuedRuns, "of"> | undefined;
  /** Whether the texts of exceptions are kept, for operators. Default true. */
  readonly keepsErrors?: boolean;
}

/** What is kept of a run while it is under way. */
interface Draft {
  readonly values: KeptValue[];
  readonly accesses: KeptAccess[];
  readonly lines: KeptLine[];
  bytes: number;
  /** Of the logs that its steps have. */
  readonly origins: object[];
}

const emptyDraft = (): Draft => ({ values: [], accesses: [], lines: [], bytes: 0, origins: [] });

/** Of a run of which only its events are kept. */
const NOTHING = emptyDraft();

export class TraceCollector {
  /** Without capture it has no call for values. */
  readonly recorder: Recorder;
  readonly #options: CollectorOptions;
  readonly #drafts = new Map<number, Draft>();
  #draftBytes = 0;
  readonly #traces = new RecordedTraces();
  /** Runs whose steps have a log, by the log's origin. */
  readonly #logging = new Map<object, Draft>();
  /** Kept runs whose responses are not written yet; the last run nearly always is the next one. */
  #last: KeptTrace | undefined;
  readonly #unanswered = new Map<number, KeptTrace>();
  readonly #reports = new RunReports();

  constructor(options: CollectorOptions) {
    this.#options = options;
    const values: Recorder = {
      beforeNode: (run, node, input) => {
        this.#value(run, node, "input", input);
        return input;
      },
      afterNode: (run, node, outcome) => this.#value(run, node, "output", carried(outcome)),
    };
    const accesses: Recorder = {
      busAccess: (run, node, access, key, value) => {
        if (key.startsWith(OWN_KEYS)) return;
        const draft = this.#draftOf(run);
        if (draft === NOTHING) return;
        const isLog = LOGS.has(key);
        if (isLog) this.#follow(draft, value);
        if (draft.accesses.length >= MAX_ACCESSES) return;
        const captured =
          isLog || access === "delete"
            ? undefined
            : this.#captured(draft, options.nodes.redactorOfNames(), shownFact(run, key, value), key);
        draft.accesses.push({ node, access, key, captured });
      },
    };
    const noted: Recorder = {
      notesAccesses: true,
      accessesOf: LOGS,
      busAccess: (run, _node, _access, _key, log) => {
        if (originOf(log) === undefined) return;
        const draft = this.#draftOf(run);
        if (draft !== NOTHING) this.#follow(draft, log);
      },
    };
    this.recorder = {
      // Without capture the run notes its accesses itself.
      ...(options.capture.mode === "off" ? noted : { ...values, ...accesses }),
      ended: (run, outcome) => this.#ended(run, outcome),
      answered: (run, { status, bytes, code, failure, isEarly }) => {
        const { id } = run;
        const kept = this.#last?.number === id ? this.#last : this.#unanswered.get(id);
        if (kept === undefined) return;
        if (kept === this.#last) this.#last = undefined;
        else this.#unanswered.delete(id);
        kept.httpStatus = status;
        const { exchange } = kept;
        if (exchange !== null) {
          const size = { length: bytes, room: exchange.responseRoom };
          exchange.response = keptResponse(run, status, size, options);
        }
        this.#reports.answered(kept);
        if (failure !== undefined) this.#fail(kept, failure);
        else if (isEarly && kept.fault !== null && code !== undefined)
          kept.fault = { ...kept.fault, ...sentReason(code, status) };
      },
    };
  }

  /** Of a run that has not ended, so far. */
  readonly accessesOf = (run: TracedRun): readonly KeptAccess[] => {
    const accesses = this.#drafts.get(run.id)?.accesses ?? [];
    return accesses.length > 0 ? accesses : timelineOf(run).accesses.flatMap(keptAccess);
  };

  #draftOf(run: TracedRun): Draft {
    const { id } = run;
    const known = this.#drafts.get(id);
    if (known !== undefined) return known;
    // Remembered: later values of the run would be taken for its first ones.
    const draft = this.#drafts.size < MAX_DRAFTS ? emptyDraft() : NOTHING;
    this.#drafts.set(id, draft);
    return draft;
  }

  /** Reads the lines of the log: those of a traced run's steps are kept with the run. */
  readonly readLine: LineReader = (line, origin) => {
    if (origin === REPORTS) {
      this.#reports.read(line, this.#shown, this.#awaiting());
      return;
    }
    const draft = origin === undefined ? undefined : this.#logging.get(origin);
    if (draft === undefined || draft.lines.length >= MAX_LINES || !this.#hasRoom(draft)) return;
    const kept = keptLine(line);
    if (kept === undefined) return;
    const seen = this.#shown(kept);
    draft.lines.push(seen);
    this.#count(draft, lineBytesOf(seen));
  };

  readonly #shown = (line: KeptLine): KeptLine =>
    this.#options.keepsErrors === false ? withoutErrorTexts(line) : line;

  *#awaiting(): Iterable<KeptTrace> {
    if (this.#last !== undefined) yield this.#last;
    yield* this.#unanswered.values();
  }

  /** The log has another code than the outcome of the run: that its response could not be made. */
  #fail(kept: KeptTrace, failure: NonNullable<RunAnswer["failure"]>): void {
    if (failure.code === kept.fault?.code) return;
    kept.status = "faulted";
    const node = kept.fault?.node ?? kept.circuit;
    kept.fault = { ...failedReason(failure, kept.httpStatus), node };
    if (this.#options.keepsErrors !== false) kept.error = seenThrown(failure.error);
  }

  #follow(draft: Draft, log: unknown): void {
    const origin = originOf(log);
    if (origin === undefined || this.#logging.has(origin)) return;
    draft.origins.push(origin);
    this.#logging.set(origin, draft);
  }

  #hasRoom({ bytes }: Draft): boolean {
    return bytes < MAX_CAPTURED_BYTES && this.#draftBytes < MAX_DRAFT_BYTES;
  }

  #count(draft: Draft, bytes: number): void {
    draft.bytes += bytes;
    this.#draftBytes += bytes;
  }

  #value(run: TracedRun, node: string, side: KeptValue["side"], value: unknown): void {
    const draft = this.#draftOf(run);
    if (draft === NOTHING || draft.values.length >= MAX_VALUES) return;
    const captured = this.#captured(draft, this.#options.nodes.redactor(run.circuit.name, node, side), value);
    if (captured !== undefined) draft.values.push({ node, side, captured });
  }

  #captured(draft: Draft, redactor: Redactor, value: unknown, name?: string): Captured | undefined {
    if (!this.#hasRoom(draft)) return CUT;
    const captured = this.#options.capture.capture(redactor, value, name);
    this.#count(draft, costOf(captured));
    return captured;
  }

  #ended(run: TracedRun, outcome: unknown): void {
    const { store, continued, keepsErrors = true } = this.#options;
    const draft = this.#draftOver(run);
    const timeline = timelineOf(run);
    const goesOn = continued?.of(run);
    // Runs that left a letter or continue another are few, and operators look for them.
    if (!timeline.has("dlq_exhausted") && goesOn === undefined && !this.#wants(run, outcome)) return;
    const error = isFault(outcome) && keepsErrors ? seenError(outcome) : null;
    const isBare = draft === NOTHING && timeline.size <= MAX_EVENTS;
    const kept = isBare ? this.#recorded(run, outcome, error) : keptTrace(run, outcome, draft, error);
    const output = kept.values.findLast(({ side }) => side === "output")?.captured;
    kept.exchange = keptExchange(run, output, this.#options);
    kept.bytes += kept.exchange?.bytes ?? 0;
    if (goesOn !== undefined) kept.goesOn = goesOn;
    if (timeline.inner !== null) this.#addInner(kept, timeline.inner);
    if (this.#last !== undefined) this.#unanswered.set(this.#last.number, this.#last);
    this.#last = undefined;
    for (const dropped of store.add(kept)) {
      if (this.#unanswered.size > 0) this.#unanswered.delete(dropped.number);
      this.#reports.forget(dropped);
      if (dropped instanceof RecordedTrace) this.#traces.giveBack(dropped);
    }
    if (run.request === undefined || !store.holds(kept.number)) return;
    this.#last = kept;
    this.#reports.ended(kept);
  }

  #addInner(kept: KeptTrace, inner: InnerSpans): void {
    const { capture, nodes } = this.#options;
    kept.inner = innerRows(inner, capture.mode, nodes.redactorOfNames(), kept.durationUs);
    kept.innerDropped = inner.dropped;
    kept.bytes += rowsBytes(kept.inner);
  }

  #recorded(run: TracedRun, outcome: unknown, error: SeenError | null): RecordedTrace {
    const kept = this.#traces.make(run, timelineOf(run), statusOf(run, outcome));
    kept.error = error;
    if (isFault(outcome)) kept.fault = faultOf(outcome, kept, run.request?.requestId);
    return kept;
  }

  #wants(run: TracedRun, outcome: unknown): boolean {
    const { store, isSought } = this.#options;
    if (isSought?.(run) === true) return true;
    const { started_at: startedAt, last_us: durationUs } = timelineOf(run);
    const summary = { circuit: run.circuit.name, startedAt, durationUs };
    return isFault(outcome) ? store.wantsFaulted(causeOf(outcome.error), summary) : store.wants(summary);
  }

  #draftOver({ id }: TracedRun): Draft {
    if (this.#drafts.size === 0) return NOTHING;
    const draft = this.#drafts.get(id) ?? NOTHING;
    this.#drafts.delete(id);
    this.#draftBytes -= draft.bytes;
    for (const origin of draft.origins) this.#logging.delete(origin);
    return draft;
  }
}

/** The route says which parts of a path are secret. */
const shownFact = ({ request }: TracedRun, key: string, value: unknown): unknown =>
  key === RequestPath.name && typeof value === "string" ? redactedPath(value, request?.route) : value;

/** The value that an outcome carries. */
function carried(outcome: unknown): unknown {
  if (isEmit(outcome)) return outcome.value;
  if (isFault(outcome)) return outcome.error;
  return isBranch(outcome) || isJump(outcome) ? outcome.payload : outcome;
}

function keptTrace(run: TracedRun, outcome: unknown, draft: Draft, error: SeenError | null): KeptTrace {
  const { values, lines } = draft;
  const { circuit, request } = run;
  const timeline = timelineOf(run);
  const accesses = draft.accesses.length > 0 ? draft.accesses : timeline.accesses.flatMap(keptAccess);
  const { events: all, dropped } = timeline;
  const events = all.length <= MAX_EVENTS ? all : all.slice(0, MAX_EVENTS);
  const kept = {
    number: run.id,
    runId: run.runId,
    circuit: circuit.name,
    version: circuit.version,
    status: statusOf(run, outcome),
    startedAt: timeline.started_at,
    durationUs: timeline.last_us,
    request: requestOf(request),
    httpStatus: null,
    goesOn: null,
    labels: run.labels,
    fault: null,
    error,
    exchange: null,
    ...{ inner: [], innerDropped: 0 },
    ...{ events, eventsDropped: dropped + all.length - events.length, values, accesses, lines },
    nodeCount: events.filter(({ kind }) => kind === "node_enter").length,
  } satisfies Omit<KeptTrace, "bytes">;
  const whole = isFault(outcome) ? { ...kept, fault: faultOf(outcome, kept, request?.requestId) } : kept;
  return { ...whole, bytes: bytesOf(whole) };
}

const STATUSES = {
  ok: "completed",
  refused_input: "refused_input",
  fault: "faulted",
  aborted: "aborted",
} as const;

const statusOf = ({ circuit }: TracedRun, outcome: unknown): KeptTrace["status"] =>
  STATUSES[runOutcomeOf(outcome, circuit.name)];

/** The only Timeline of the runtime. */
const timelineOf = (run: TracedRun): RecordedTimeline => notesOf(run) as RecordedTimeline;

/** If no node was left with a fault, the run ended before its first node: at its input, or not at all. */
function faultOf(
  fault: Fault<unknown>,
  { events, circuit, status }: Pick<KeptTrace, "events" | "circuit" | "status">,
  requestId: string | undefined,
): NonNullable<KeptTrace["fault"]> {
  const { error } = fault;
  const place = status === "refused_input" ? ingressId(circuit) : circuit;
  const node = failedVisit(visitsOf(events))?.node ?? place;
  if (requestId === undefined || !needsProgram(error)) return { ...faultReason(error), node };
  const told = { ...foreseenReason(error), node };
  whenAnswered(fault, requestId, (answer) => Object.assign(told, answeredReason(answer, error)));
  return told;
}
