// Runs of this process that are recorded and have not ended: where they are, what is on their Bus,
// and their end by an operator. Read when it is asked for: a run costs nothing more.

import type { Fault } from "#core/bus/outcome.js";
import { notesOf } from "#core/timeline/recorded-timeline.js";
import type { TracedRun } from "#core/timeline/recorder.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { AbortedRun, InFlightRow, InFlightRun } from "../api/in-flight.js";
import type { Data } from "../api/shapes.js";
import type { KeptAccess } from "../traces/kept-trace.js";
import { OFF, payloadOf } from "../traces/payload-capture.js";
import { requestSummary } from "../traces/request-summary.js";
import { visitsOf } from "../traces/visits.js";

const MAX_LISTED = 100;
const MAX_PATH = 100;

export interface InFlightOptions {
  /** The oldest first. */
  readonly runs: () => readonly TracedRun[];
  readonly accessesOf: (run: TracedRun) => readonly KeptAccess[];
  readonly isHeld: (run: TracedRun) => boolean;
}

export class InFlight {
  readonly #of: InFlightOptions;

  constructor(of: InFlightOptions) {
    this.#of = of;
  }

  list(): { readonly runs: readonly InFlightRow[]; readonly not_listed: number } {
    const runs = this.#of.runs();
    const rows = runs.slice(0, MAX_LISTED).map((run) => {
      const shown = this.#shown(run);
      return { ...shown, bus: shown.bus.map(({ key }) => key) };
    });
    return { runs: rows, not_listed: runs.length - rows.length };
  }

  get(id: string): InFlightRun | Fault<InspectorFault> {
    const run = this.#find(id);
    return run === undefined ? unknown(id) : this.#shown(run);
  }

  /** Ends it as RUN_ABORTED; a hold of it ends with it. */
  abort(id: string): Data<typeof AbortedRun> | Fault<InspectorFault> {
    const run = this.#find(id);
    if (run === undefined) return unknown(id);
    const { run_id, circuit, node } = this.#shown(run);
    run.abort(new Error("An operator of the Inspector aborted it"));
    return { run_id, circuit, node_id: node };
  }

  #find(id: string): TracedRun | undefined {
    return this.#of.runs().find(({ runId }) => runId === id);
  }

  #shown(run: TracedRun): InFlightRun {
    const { circuit, runId, request, labels, now_us } = run;
    const { started_at, events } = notesOf(run);
    const visits = visitsOf(events);
    const bus = new Map<string, InFlightRun["bus"][number]>();
    for (const { access, key, node, captured } of this.#of.accessesOf(run)) {
      bus.delete(key);
      if (access !== "delete") bus.set(key, { key, node, value: captured ? payloadOf(captured) : OFF });
    }
    return {
      ...{ run_id: runId, circuit: circuit.name, began_at: started_at, elapsed_ms: now_us / 1000 },
      node: visits.findLast(({ exit }) => exit < 0)?.node ?? null,
      path: visits.slice(-MAX_PATH).map(({ node }) => node),
      is_held: this.#of.isHeld(run),
      request: request ? requestSummary(request) : null,
      ...(labels && { labels: { ...labels } }),
      bus: [...bus.values()],
    };
  }
}

const unknown = (id: string): Fault<InspectorFault> =>
  inspectorFault("IN_FLIGHT_UNKNOWN", { detail: `No recorded run '${id}' is in flight` });
