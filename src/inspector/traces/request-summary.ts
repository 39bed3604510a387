import type { TracedRequest } from "#core/timeline/recorder.js";
import { redactedPath } from "#schema/redaction/redacted-path.js";
import type { PausedRun } from "../api/breakpoints.js";

/** The part of a request that is shown with its run. */
export const requestSummary = ({
  method,
  path,
  route,
  requestId,
}: TracedRequest): NonNullable<PausedRun["request"]> => ({
  method,
  path: redactedPath(path, route),
  request_id: requestId,
});
