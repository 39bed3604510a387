import type { Static } from "@sinclair/typebox";

import { isFault } from "#core/bus/outcome.js";
import { AuditEvents, AuditEventsQuery, AuditStatus } from "../api/audit.js";
import { planned } from "../api/fault.js";
import { RelayAnswer, RelayRequest } from "../api/relay.js";
import { OneStatus } from "../api/status.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";

const NO_AUDIT = planned(
  "audit",
  "This server has no audit log: .stores(openStores(...)) or .audit(sink) gives it one",
);
const NO_QUERY = planned(
  "audit",
  "The sink of this server's audit log has no function 'query': give it one, or use the audit of openStores(...)",
);
const NO_RELAY = planned("relay", "This server cannot be sent requests in process");

export const otherEndpoints = ({
  relay,
  circuits,
  status,
  audit,
  auditList,
  operators,
}: InspectorParts): readonly Endpoint[] => [
  endpoint<Static<typeof RelayRequest>>({
    route: "POST /api/v1/relay",
    role: "operator",
    summary: "Sends a request into the running circuits, in process",
    takes: RelayRequest,
    gives: RelayAnswer,
    run: async (request, by) => {
      if (relay === undefined) return NO_RELAY;
      const { method, path } = request;
      // Recorded as the pattern: a path parameter or the query may be a secret.
      const route = circuits.serving(method, path.split("?", 1)[0] as string);
      const target = `${method} ${route?.path ?? "unrouted"}`;
      const action = { action: "inspector.relay", target } as const;
      const answer = await operators.acted(
        by,
        action,
        () => relay.send(request),
        ({ run_id, status: answered }) => ({ run_id, status: answered }),
      );
      return isFault(answer) ? answer : enveloped("relay", answer);
    },
  }),
  endpoint<AuditEventsQuery>({
    route: "GET /api/v1/audit/events",
    // The texts of events name persons.
    role: "operator",
    summary: "Events of the audit log, the newest first, page by page",
    takes: AuditEventsQuery,
    gives: AuditEvents,
    run: async (query) => {
      const page = audit === undefined ? NO_AUDIT : ((await auditList?.list(query)) ?? NO_QUERY);
      return isFault(page) ? page : enveloped("audit_events", page);
    },
  }),
  endpoint({
    route: "GET /api/v1/audit/verify",
    role: "viewer",
    summary: "Whether the chain of the audit log is whole: verified at most once a minute",
    gives: AuditStatus,
    run: async () => {
      const verified = audit === undefined ? NO_AUDIT : await audit.verify();
      return isFault(verified) ? verified : enveloped("audit", verified);
    },
  }),
  endpoint({
    route: "GET /status",
    role: "viewer",
    summary: "What this server is: versions, capabilities, configuration, limits",
    gives: OneStatus,
    run: (_, caller) => enveloped("status", status(caller)),
  }),
];
