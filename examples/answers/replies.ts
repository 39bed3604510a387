// A ticket desk: answers with a status, headers, a page.

import { Axon, busKey, Framework, fault, html, ProblemDetail, param, respond, Type } from "framework";

const Order = Type.Object({
  crossing: Type.String({ maxLength: 60 }),
  passengers: Type.Integer({ minimum: 1 }),
});
const Ticket = Type.Object({ id: Type.String(), crossing: Type.String() });

export interface Sold {
  readonly id: string;
  readonly crossing: string;
  /** Not in the schema, so never sent. */
  readonly soldBy: string;
}

const Tickets = busKey<Map<string, Sold>>()("Tickets");

const unknownTicket = new ProblemDetail({ status: 404, code: "TICKET_UNKNOWN", title: "No such ticket" });

/** The schema is about the body: of a reply, and of a value that is answered as it is. */
const sell = Axon.start("sell", Order)
  .thenFn(
    "sell",
    { uses: { tickets: Tickets }, responses: [{ status: 201 }] },
    ({ crossing, passengers }, bus) => {
      const { tickets } = bus;
      const ticket = { id: `${crossing}-${tickets.size + 1}`, crossing, soldBy: `desk 1 to ${passengers}` };
      tickets.set(ticket.id, ticket);
      const location = `/tickets/${encodeURIComponent(ticket.id)}`;
      return respond({ status: 201, headers: { location }, body: ticket });
    },
  )
  .withOutputSchema(Ticket);

const find = (tickets: ReadonlyMap<string, Sold>, id: string) => tickets.get(id) ?? fault(unknownTicket);

const show = Axon.start("show")
  .thenFn("find", { uses: { tickets: Tickets, id: param("id") }, responses: [unknownTicket] }, (_, bus) =>
    find(bus.tickets, bus.id),
  )
  .withOutputSchema(Ticket);

/** What came from outside is escaped before it stands in a page. */
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const print = Axon.start("print")
  .thenFn("find", { uses: { tickets: Tickets, id: param("id") }, responses: [unknownTicket] }, (_, bus) =>
    find(bus.tickets, bus.id),
  )
  .thenFn("draw", ({ crossing }) =>
    respond({
      headers: { "cache-control": "no-store", vary: ["accept", "accept-language"] },
      body: html(`<h1>${escaped(crossing)}</h1>`),
    }),
  );

const home = Axon.start("home").thenFn("elsewhere", { responses: [{ status: 303 }] }, () =>
  respond({ status: 303, headers: { location: "/tickets/first" } }),
);

export const desk = () =>
  Framework.http({ resources: [Tickets] })
    .get("/", home)
    .post("/tickets", sell)
    .get("/tickets/:id", show)
    .get("/tickets/:id/print", print);
