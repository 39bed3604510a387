// All endpoints but the feed, the page and /healthz, in the order of docs/inspector.md.

import { circuitEndpoints } from "./circuit-endpoints.js";
import type { Endpoint } from "./endpoint.js";
import { inFlightEndpoints } from "./in-flight-endpoints.js";
import { metricsEndpoints } from "./metrics-endpoints.js";
import { otherEndpoints } from "./other-endpoints.js";
import type { InspectorParts } from "./parts.js";
import { runEndpoints } from "./run-endpoints.js";
import { steeringEndpoints } from "./steering-endpoints.js";
import { ticketEndpoints } from "./ticket-endpoints.js";
import { traceEndpoints } from "./trace-endpoints.js";
import { watchingEndpoints } from "./watching-endpoints.js";

export const endpointsOf = (parts: InspectorParts): readonly Endpoint[] => [
  ...ticketEndpoints(parts),
  ...circuitEndpoints(parts),
  ...metricsEndpoints(parts),
  ...traceEndpoints(parts),
  ...steeringEndpoints(parts),
  ...inFlightEndpoints(parts),
  ...watchingEndpoints(parts),
  ...runEndpoints(parts),
  ...otherEndpoints(parts),
];
