import { Ticket } from "../api/status.js";
import { TICKET_MS, type Tickets } from "../door/tickets.js";
import { inspectorFault } from "../fault.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";

/** `now`: milliseconds since 1970. */
export const ticketEndpoints = (tickets: Tickets, now: () => number): readonly Endpoint[] => [
  endpoint({
    route: "POST /api/v1/tickets",
    role: "viewer",
    summary: "A ticket for the feed, good once and for 30 s, for the Origin that asks",
    gives: Ticket,
    run: (_, { role, origin }) => {
      const ticket = tickets.issue(role, origin);
      return ticket === undefined
        ? inspectorFault("TICKETS_FULL", { headers: { "retry-after": "30" } })
        : enveloped("ticket", { ticket: `ticket.${ticket}`, expires_at: now() + TICKET_MS, role });
    },
  }),
];
