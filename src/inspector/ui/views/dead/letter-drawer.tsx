import type { DeadLetterRow } from "../../../api/dead-letters.js";
import type { Trace } from "../../../api/traces.js";
import { visitsOf } from "../../../traces/visits.js";
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
import { Waterfall } from "../run/waterfall.js";
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
          <h3>The run that failed</h3>
          <Waterfall trace={traceOf(letter)} />
        </section>
      )}
    </Drawer>
  );
}

/** The run of a letter as its waterfall needs it: from the Timeline, without payloads. */
function traceOf({ run_id, id, circuit, version, node, failed_at, error, events }: DeadLetterRow): Trace {
  const off = { kind: "off" } as const;
  const nodes = visitsOf(events).map((visit) => ({
    ...{ ...visit, retries: [...visit.retries], waits: [...visit.waits] },
    ...{ label: nodeName(visit.node), kind: "Node", input: off, output: off },
    duration_us: visit.exited_us - visit.entered_us,
  }));
  const duration_us = events.at(-1)?.at_us ?? 0;
  const started_at = failed_at - duration_us / 1000;
  const fault = { node, label: nodeName(node), status: null, detail: null, ...error };
  return {
    run: {
      ...{ run_id: run_id ?? id, circuit, version, status: "faulted", started_at, duration_us },
      ...{ ended_at: failed_at, node_count: nodes.length, request: null, goes_on: null, fault },
    },
    ...{ nodes, bus: [], events: [], events_dropped: 0, error: null, logs: [] },
  };
}

function inWords(result: RedrivenData["result"]): string {
  const { name, why } = RESULTS[result];
  return why === undefined ? name : `${name}: ${why}`;
}
