// A stored trace of a run of which nothing was captured: the run's own notes, copied. It is
// written again for another run once the store has released it: readers of the store use a
// trace at once, and keep only what they made of it.

import { type NotedAccess, RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import type { TracedRequest, TracedRun } from "#core/timeline/recorder.js";
import type { TimelineEvent } from "#core/timeline/timeline.js";
import { runIdOf } from "#runtime/run/run-id.js";
import { redactedPath } from "#schema/redaction/redacted-path.js";
import type { FaultReason, SeenError } from "./fault-reason.js";
import {
  ACCESS_BYTES,
  BASE_BYTES,
  EVENT_BYTES,
  type KeptAccess,
  type KeptTrace,
  labelBytes,
} from "./kept-trace.js";

const NONE: readonly never[] = [];

export class RecordedTrace implements KeptTrace {
  number = 0;
  status: KeptTrace["status"] = "completed";
  bytes = 0;
  httpStatus: number | null = null;
  goesOn: KeptTrace["goesOn"] = null;
  labels: KeptTrace["labels"];
  fault: (FaultReason & { readonly node: string }) | null = null;
  error: SeenError | null = null;
  exchange: KeptTrace["exchange"] = null;
  inner: KeptTrace["inner"] = NONE;
  innerDropped = 0;
  lines: KeptTrace["lines"] = NONE;
  readonly #timeline = new RecordedTimeline("", "", 0);
  #request: TracedRequest | undefined;

  write(run: TracedRun, timeline: RecordedTimeline, status: KeptTrace["status"]): void {
    const { request, labels } = run;
    this.number = run.id;
    this.status = status;
    this.bytes =
      BASE_BYTES +
      labelBytes(labels) +
      EVENT_BYTES * timeline.size +
      ACCESS_BYTES * timeline.accessed +
      (request === undefined ? 0 : 2 * (request.path.length + request.requestId.length));
    this.httpStatus = null;
    this.goesOn = null;
    this.labels = labels;
    this.fault = null;
    this.error = null;
    this.exchange = null;
    this.inner = NONE;
    this.innerDropped = 0;
    this.lines = NONE;
    this.#timeline.copy(timeline);
    this.#request = request;
  }

  get runId(): string {
    return runIdOf(this.number);
  }

  get circuit(): string {
    return this.#timeline.axon;
  }

  get version(): string {
    return this.#timeline.version;
  }

  get startedAt(): number {
    return this.#timeline.started_at;
  }

  get durationUs(): number {
    return this.#timeline.last_us;
  }

  get request(): KeptTrace["request"] {
    return requestOf(this.#request);
  }

  get events(): readonly TimelineEvent[] {
    return this.#timeline.events;
  }

  get eventsDropped(): number {
    return this.#timeline.dropped;
  }

  get nodeCount(): number {
    return this.#timeline.entered;
  }

  get values(): KeptTrace["values"] {
    return NONE;
  }

  get accesses(): readonly KeptAccess[] {
    return this.#timeline.accesses.flatMap(keptAccess);
  }
}

/** Traces to write again: as many as the store releases at once. */
export class RecordedTraces {
  readonly #free: RecordedTrace[] = [];

  make(run: TracedRun, timeline: RecordedTimeline, status: KeptTrace["status"]): RecordedTrace {
    const trace = this.#free.pop() ?? new RecordedTrace();
    trace.write(run, timeline, status);
    return trace;
  }

  giveBack(trace: RecordedTrace): void {
    this.#free.push(trace);
  }
}

/** Prefix of the framework's own keys, such as exchanges with their whole head. */
export const OWN_KEYS = "framework:";

/** None for a key of the framework's own. */
export const keptAccess = (access: NotedAccess): readonly KeptAccess[] =>
  access.key.startsWith(OWN_KEYS) ? [] : [{ ...access, captured: undefined }];

export const requestOf = (request: TracedRequest | undefined): KeptTrace["request"] => {
  if (request === undefined) return null;
  return {
    method: request.method,
    path: redactedPath(request.path, request.route),
    route: request.route ?? null,
    request_id: request.requestId,
    trace_id: request.traceId ?? null,
  };
};
