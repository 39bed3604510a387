import type { RunAnswer, TracedRequest } from "#core/recorder.js";
import type { Report } from "#core/reporter.js";

/** Who wants to know how the request of a run is answered. */
export interface AnswerListener {
  answered(answer: RunAnswer): void;
}

/** What the runs of an ingress come from. Asked of traced runs alone; `request` is what `RunState.request` holds. */
export interface RunOrigin {
  readonly requestOf: (request: unknown) => TracedRequest;
  /** What a report of a run says of its request. */
  readonly reportOf?: (request: unknown) => Partial<Report>;
  /** Undefined where runs are not what answers a request. */
  readonly follow: ((request: unknown, listener: AnswerListener) => void) | undefined;
}
