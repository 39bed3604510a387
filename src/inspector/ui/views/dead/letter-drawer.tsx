import type { DeadLetterRow } from "../../../api/dead-letters.js";
import { api, type RedrivenData } from "../../client/api.js";
import { absolute } from "../../format/moment.js";
import { nodeIn, nodeName } from "../../format/node-name.js";
import { counted } from "../../format/quantity.js";
import { AskOnce } from "../../parts/ask-once.js";
import { AuditLink } from "../../parts/audit-link.js";
import { Drawer } from "../../parts/drawer.js";
import { Link } from "../../parts/link.js";
import { RunLabels } from "../../parts/run-labels.js";
import { RunLink } from "../../parts/run-link.js";
import { Json } from "../../parts/values/json.js";
import { Payload } from "../../parts/values/payload.js";
import { TraceId } from "../../parts/values/trace-id.js";
import { RESULTS } from "./results.js";

export interface LetterDrawerProps {
  readonly letter: DeadLetterRow;
  readonly redriven: RedrivenData | undefined;
  /** Starts at the failed step. */
  onRedriveSkipping(): Promise<unknown>;
  onClose(): void;
  onDiscarded(): void;
}

export function LetterDrawer(props: LetterDrawerProps) {
  const { letter, redriven, onRedriveSkipping, onClose, onDiscarded } = props;
  const { id, circuit, version, node, failed_at, attempts, error, input, undone, events } = letter;
  // The letter has its state when listed; the newest run has the later trace.
  const traceId = redriven?.trace_id ?? letter.trace_id;
  const runId = redriven?.run_id ?? letter.run_id;
  return (
    <Drawer label={`Dead letter ${id}`} title={nodeIn(circuit, node)} onClose={onClose}>
      <section>
        <p class="fault">
          <strong>{error.title}</strong> {error.code !== null && <code>{error.code}</code>}
        </p>
        <p class="dim">
          Failed {absolute(failed_at)}, {counted(attempts, "attempt")}, version {version}.{" "}
          <Link path={["circuits", circuit]} params={{ node }}>
            Node
          </Link>
          {" · "}
          <AuditLink of={{ target: id }} />
          <RunLabels of={letter.labels} />
        </p>
        {runId !== null && (
          <p class="dim">
            <RunLink id={runId}>Newest run</RunLink>
          </p>
        )}
        {traceId !== null && (
          <p class="dim">
            <TraceId id={traceId} />
          </p>
        )}
        <AskOnce
          says="Discard the letter? It cannot be re-driven afterwards."
          act={() => api.discard(id).then(onDiscarded)}
        >
          Discard
        </AskOnce>
      </section>
      {redriven !== undefined && (
        <section>
          <h3>Re-driven: {inWords(redriven.result)}</h3>
          {redriven.result === "running" && (
            <p>
              The letter is removed when the run completes. A <Link path={["breakpoints"]}>breakpoint</Link>{" "}
              may hold it
              {redriven.run_id === null ? (
                "."
              ) : (
                <>
                  . See its <RunLink id={redriven.run_id}>run</RunLink>.
                </>
              )}
            </p>
          )}
          {redriven.outcome !== null && <Json value={redriven.outcome} what="the outcome" />}
        </section>
      )}
      <section>
        <h3>Input of the step</h3>
        <Payload payload={input} what="the input" />
      </section>
      {undone.length > 0 && (
        <section>
          <h3>Compensated steps</h3>
          <p class="mono">{undone.join(", ")}</p>
          <p class="dim">A re-drive starts at the first of these steps, with its original input.</p>
          <AskOnce
            says={`Re-drive from ${nodeName(node)}? The listed steps stay compensated.`}
            act={onRedriveSkipping}
          >
            Re-drive from {nodeName(node)}
          </AskOnce>
        </section>
      )}
      {events.length > 0 && (
        <section>
          <h3>Timeline</h3>
          <Json value={events} what="the timeline" />
        </section>
      )}
    </Drawer>
  );
}

function inWords(result: RedrivenData["result"]): string {
  const { name, why } = RESULTS[result];
  return why === undefined ? name : `${name}: ${why}`;
}
