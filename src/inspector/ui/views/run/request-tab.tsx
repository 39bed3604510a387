import type { Trace } from "../../../api/traces.js";
import { originPlace, originText } from "../../format/origin.js";
import { Link } from "../../parts/link.js";

/** The request of the run and its response. */
export function RequestTab({ trace: { run } }: { readonly trace: Trace }) {
  const { request, goes_on } = run;
  if (request === null)
    return (
      <p class="dim">
        This run answers no request.
        {goes_on !== null && (
          <>
            {" "}
            {originText(goes_on)}: <Link {...originPlace(goes_on)}>{goes_on.id}</Link>
          </>
        )}
      </p>
    );
  return (
    <dl class="facts">
      <dt>Route</dt>
      <dd class="mono">{request.route === null ? "none" : `${request.method} ${request.route}`}</dd>
      <dt>Path</dt>
      <dd class="mono">{request.path}</dd>
      <dt>Status</dt>
      <dd>{request.http_status === 0 ? "client disconnected" : (request.http_status ?? "not sent yet")}</dd>
    </dl>
  );
}
