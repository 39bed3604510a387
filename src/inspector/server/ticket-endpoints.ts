import { inspectorFault } from "../api/fault.js";
import { Ticket } from "../api/status.js";
import { TICKET_MS, type Tickets } from "../door/tickets.js";
import type { Feed } from "../feed/feed.js";
import { type Endpoint, endpoint } from "./endpoint.js";

export interface TicketParts {
  readonly tickets: Tickets;
  readonly feed: Pick<Feed, "hasRoomFor">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export const ticketEndpoints = ({ tickets, feed, now }: TicketParts): readonly Endpoint[] => [
  endpoint({
    route: "POST /api/v1/tickets",
    role: "viewer",
    summary: "A ticket for the feed, valid once and for 30 s, for the Origin that requests it",
    gives: Ticket,
    run: (_, { role, origin }) => {
      const ticket = tickets.issue(role, origin);
      if (ticket === undefined) return inspectorFault("TICKETS_FULL", { headers: { "retry-after": "30" } });
      return {
        ticket: `ticket.${ticket}`,
        expires_at: now() + TICKET_MS,
        role,
        feed_full: !feed.hasRoomFor(role),
      };
    },
  }),
];
