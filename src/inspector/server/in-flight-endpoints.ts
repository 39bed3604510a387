// Runs that have not ended: listed, shown, aborted.

import { path } from "#http/input/extractor.js";
import { planned } from "../api/fault.js";
import { AbortedRun, InFlightRuns, OneInFlight } from "../api/in-flight.js";
import { halved } from "../peers/across.js";
import { type Endpoint, endpoint, having } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";
import { ById } from "./trace-endpoints.js";

const NONE = planned("in_flight", "This server records no runs");

export function inFlightEndpoints({ inFlight, operators, peers }: InspectorParts): readonly Endpoint[] {
  const owner = "IN_FLIGHT_UNKNOWN";
  return [
    endpoint(
      {
        route: "GET /api/v1/in-flight",
        role: "viewer",
        summary: "Recorded runs that have not ended, the oldest first, with their path and Bus keys",
        gives: InFlightRuns,
        across: {
          merged: (own, others) => ({
            ...own,
            runs: [own, ...others]
              .flatMap(({ runs }) => runs)
              .sort((one, other) => one.began_at - other.began_at),
            not_listed: [own, ...others].reduce((sum, { not_listed }) => sum + not_listed, 0),
          }),
          shortened: halved("runs"),
        },
        run: having(inFlight, NONE, (part) => ({ ...part.list(), workers_silent: 0 })),
      },
      peers,
    ),
    endpoint(
      {
        route: "GET /api/v1/in-flight/:id",
        role: "viewer",
        summary: "One run that has not ended, with the values of its Bus",
        takes: ById,
        gives: OneInFlight,
        across: { owner },
        run: having(inFlight, NONE, (part, { id }) => part.get(id)),
      },
      peers,
    ),
    endpoint(
      {
        route: "POST /api/v1/in-flight/:id/abort",
        role: "operator",
        summary: "Aborts a run that has not ended",
        input: path(ById),
        gives: AbortedRun,
        across: { owner },
        run: having(inFlight, NONE, (part, { id }) => part.abort(id)),
        acted: (act, { id }, by) =>
          operators.acted(by, { action: "inspector.run.abort", target: id }, act, (run) => ({ ...run })),
      },
      peers,
    ),
  ];
}
