import { hash } from "node:crypto";

import { combine, json, path } from "#http/input/extractor.js";
import { AuditEvents, AuditEventsQuery, AuditStatus } from "../api/audit.js";
import { planned } from "../api/fault.js";
import { RelayAnswer, RelayRequest, RerunAnswer, RerunPlan, RerunRequest } from "../api/relay.js";
import { OneStatus } from "../api/status.js";
import { type Endpoint, endpoint, having } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";
import { ById } from "./trace-endpoints.js";

const NO_AUDIT = planned(
  "audit",
  "This server has no audit log: .stores(openStores(...)) or .audit(sink) gives it one",
);
const NO_QUERY = planned(
  "audit",
  "The sink of this server's audit log has no function 'query': give it one, or use the audit of openStores(...)",
);
const NO_RERUN = planned("rerun", 'This server does not capture whole payloads: capture_payloads = "full"');
const NO_RELAY = planned("relay", "This server cannot be sent requests in process");

export const otherEndpoints = ({
  relay,
  circuits,
  status,
  audit,
  auditList,
  operators,
  rerun,
  peers,
}: InspectorParts): readonly Endpoint[] => [
  endpoint({
    route: "POST /api/v1/relay",
    role: "operator",
    summary: "Sends a request to the running circuits, in process",
    takes: RelayRequest,
    gives: RelayAnswer,
    run: having(relay, NO_RELAY, (sender, request) => sender.send(request)),
    acted: (act, { method, path }, by) => {
      // Recorded as the pattern: a path parameter or the query may be a secret.
      const route = circuits.serving(method, path.split("?", 1)[0] as string);
      const action = { action: "inspector.relay", target: `${method} ${route?.path ?? "unrouted"}` } as const;
      return operators.acted(by, action, act, ({ run_id, status: answered }) => ({
        run_id,
        status: answered,
      }));
    },
  }),
  endpoint(
    {
      route: "GET /api/v1/traces/:id/rerun",
      role: "operator",
      summary: "The steps from which a run can be run again",
      takes: ById,
      gives: RerunPlan,
      across: { owner: "TRACE_UNKNOWN" },
      run: having(rerun, NO_RERUN, (part, { id }) => part.plan(id)),
    },
    peers,
  ),
  endpoint(
    {
      route: "POST /api/v1/traces/:id/rerun",
      role: "operator",
      summary: "Runs a run again from a step, with its input or an edited one",
      input: combine({ of: path(ById), request: json(RerunRequest) }),
      gives: RerunAnswer,
      across: { owner: "TRACE_UNKNOWN" },
      run: having(rerun, NO_RERUN, (part, { of: { id }, request }) => part.run(id, request)),
      acted: (act, { of: { id }, request }, by) =>
        operators.acted(
          by,
          { action: "inspector.rerun", target: id },
          act,
          ({ run_id, status: answered }) => ({
            run_id,
            node_id: request.node,
            status: answered,
            // The input may contain secrets: its hash identifies a known text.
            ...(Object.hasOwn(request, "input") && { sha256: hash("sha256", JSON.stringify(request.input)) }),
          }),
        ),
    },
    peers,
  ),
  endpoint({
    route: "GET /api/v1/audit/events",
    // The texts of events name persons.
    role: "operator",
    summary: "Events of the audit log, the newest first, in pages",
    takes: AuditEventsQuery,
    gives: AuditEvents,
    run: having(audit, NO_AUDIT, (_, query) => auditList?.list(query) ?? NO_QUERY),
  }),
  endpoint({
    route: "GET /api/v1/audit/verify",
    role: "viewer",
    summary: "Whether the audit log's chain is intact; verified once a minute at most",
    gives: AuditStatus,
    run: having(audit, NO_AUDIT, (chain) => chain.verify()),
  }),
  endpoint({
    route: "GET /status",
    role: "viewer",
    summary: "Versions, capabilities, configuration and limits of the server",
    gives: OneStatus,
    run: (_, caller) => status(caller),
  }),
];
