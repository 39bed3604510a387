import type { RelayData } from "../../client/api.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { statusTone } from "../../format/outcome.js";
import { counted } from "../../format/quantity.js";
import { Link } from "../../parts/link.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { Json } from "../../parts/values/json.js";
import { Waterfall } from "../run/waterfall.js";
import { Why } from "../run/why.js";

/** Status, headers and body of the response; below them the run. */
export function Answer({ answer }: { readonly answer: RelayData }) {
  const { status, headers, encoding, body, duration_ms, run_id } = answer;
  return (
    <div class="answer">
      <p class="outcome">
        <strong class={`status ${statusTone(status) ?? ""}`}>{status}</strong>
        <span>{duration(duration_ms * 1000)}</span>
        {run_id !== null && (
          <Link path={["runs", run_id]} class="mono">
            {run_id}
          </Link>
        )}
      </p>
      {encoding === "none" && <p class="dim">No body</p>}
      {encoding === "json" && <Json value={body} what="the body" />}
      {encoding === "text" && <pre class="as-text">{String(body)}</pre>}
      {encoding === "base64" && <p class="dim">{counted(String(body).length, "character")} of base64</p>}
      <details>
        <summary>{counted(headers.length, "header")}</summary>
        <dl class="headers mono">
          {headers.map(([name, value], n) => (
            <div key={n}>
              <dt class="dim">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {run_id === null ? <p class="dim">No run.</p> : <Run id={run_id} />}
    </div>
  );
}

function Run({ id }: { readonly id: string }) {
  const { value, problem, reload } = useResource(`run ${id}`, () => api.trace(id));
  if (value !== undefined)
    return (
      <>
        {value.run.fault !== null && <Why fault={value.run.fault} trace={value} />}
        <Waterfall trace={value} />
      </>
    );
  if (problem === undefined) return <Loading what="the run" />;
  return problem.status === 404 ? (
    <p class="dim">No trace: evicted or not sampled.</p>
  ) : (
    <Wrong problem={problem} onAgain={reload} />
  );
}
