// Names and colours of outcomes: red for errors alone.

import { outcomeOf } from "../../api/run-filter.js";
import type { TraceRow } from "../../api/traces.js";

type Run = Pick<TraceRow, "status" | "fault" | "request">;

export const endOf = ({ status, fault, request }: Run) =>
  outcomeOf({ status, fault, httpStatus: request?.http_status });

/** The class of a text about a run. */
export const toneOf = (run: Run): "fault" | "dim" | undefined => {
  const end = endOf(run);
  return end === "error" ? "fault" : end === "completed" ? "dim" : undefined;
};

/** The class of a response's status. */
export const statusTone = (status: number | null | undefined): string | undefined =>
  (status ?? 0) >= 500 ? "fault" : undefined;
