import type { Static } from "@sinclair/typebox";

import { isFault } from "#core/outcome.js";
import { RelayAnswer, RelayRequest } from "../api/relay.js";
import { OneStatus } from "../api/status.js";
import { planned } from "../fault.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";

const NO_AUDIT = planned("audit", "This release keeps no audit log");
const NO_RELAY = planned("relay", "This server cannot be sent requests in process");

export const otherEndpoints = ({ relay, status }: InspectorParts): readonly Endpoint[] => [
  endpoint<Static<typeof RelayRequest>>({
    route: "POST /api/v1/relay",
    role: "operator",
    summary: "Sends a request into the running circuits, in process",
    takes: RelayRequest,
    gives: RelayAnswer,
    run: async (request) => {
      const answer = relay === undefined ? NO_RELAY : await relay.send(request);
      return isFault(answer) ? answer : enveloped("relay", answer);
    },
  }),
  endpoint({
    route: "GET /api/v1/audit/verify",
    role: "viewer",
    summary: "Whether the chain of the audit log is whole",
    run: () => NO_AUDIT,
  }),
  endpoint({
    route: "GET /status",
    role: "viewer",
    summary: "What this server is: versions, capabilities, configuration, limits",
    gives: OneStatus,
    run: (_, caller) => enveloped("status", status(caller)),
  }),
];
