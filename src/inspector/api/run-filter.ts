// Which runs a filter selects: the same for the list of traces, the feed, and the page's colours.

import type { TraceQuery, TraceRow } from "./traces.js";

export type RunFilter = Pick<TraceQuery, "outcome" | "http_status" | "code">;

export type EndedRun = Pick<TraceRow, "status"> & {
  /** 0 if the client disconnected; null without a response. */
  readonly httpStatus: number | null | undefined;
  readonly fault: Pick<NonNullable<TraceRow["fault"]>, "code" | "status"> | null;
};

/** An error is a 5xx, or a fault without a response, as the metrics count them; any other fault is a refusal. */
export function outcomeOf({ status, httpStatus, fault }: EndedRun): NonNullable<RunFilter["outcome"]> {
  if (status === "completed") return status;
  const answered = httpStatus || fault?.status;
  if (status === "aborted") return (httpStatus ?? 0) >= 500 ? "error" : status;
  return answered != null && answered < 500 ? "refused" : "error";
}

export function isSelected({ outcome, http_status, code }: RunFilter, run: EndedRun): boolean {
  return (
    (outcome === undefined || outcomeOf(run) === outcome) &&
    (code === undefined || run.fault?.code === code) &&
    (http_status === undefined || isStatus(http_status, run.httpStatus))
  );
}

/** "5xx" selects a class of statuses, "403" one. */
const isStatus = (wanted: string, status: number | null | undefined): boolean =>
  status != null && new RegExp(`^${wanted.replace("xx", "..")}$`).test(String(status));
