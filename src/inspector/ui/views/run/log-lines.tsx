import type { Trace } from "../../../api/traces.js";
import { absolute, clock } from "../../format/moment.js";
import { prettyJson } from "../../json/json-tokens.js";

/** The log lines with the run's request id. */
export function LogLines({ trace: { logs } }: { readonly trace: Trace }) {
  if (logs.length === 0)
    return <p class="dim">No log lines with this run's request id. Steps write them with the key Log.</p>;
  return (
    <div role="log" aria-label="Log lines">
      {logs.map(({ at, level, module, message, fields }, n) => (
        <div key={n} class="log-line">
          <time title={absolute(at)}>{clock(at)}</time>
          <span
            class={level === "error" || level === "fatal" ? "fault" : level === "warn" ? "strong" : "dim"}
          >
            {level}
          </span>
          <span>
            {module !== null && module !== "" && <span class="dim">{module} </span>}
            {message}
            {hasMembers(fields) && <pre class="dim">{prettyJson(fields)}</pre>}
          </span>
        </div>
      ))}
    </div>
  );
}

const hasMembers = (fields: unknown): boolean =>
  typeof fields === "object" && fields !== null && Object.keys(fields).length > 0;
