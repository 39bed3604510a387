import type { TracedRequest } from "#core/timeline/recorder.js";
import { shownPath } from "#schema/redaction/shown-path.js";
import type { PausedRun } from "../api/breakpoints.js";

/** What those see of a request who watch its run. */
export const shownRequest = ({
  method,
  path,
  route,
  requestId,
}: TracedRequest): NonNullable<PausedRun["request"]> => ({
  method,
  path: shownPath(path, route),
  request_id: requestId,
});
