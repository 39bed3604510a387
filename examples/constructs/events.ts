// An event tells others what happened. The run goes on with the value beside it.

import { Axon, type EmittedEvent, emit, eventKind, isEvent } from "framework";

export interface Ticket {
  readonly crossing: string;
  readonly cents: number;
}

const TicketSold = eventKind<Ticket>()("ticket.sold");

/** Adds up what was sold. It is called while the run goes on: keep it short. */
class Takings {
  cents = 0;

  readonly send = (event: EmittedEvent): void => {
    if (isEvent(event, TicketSold)) this.cents += event.payload.cents;
  };
}

export const takings = new Takings();

export const sell = Axon.start<{ crossing: string }>("sell")
  .thenFn("price", ({ crossing }): Ticket => ({ crossing, cents: 1200 }))
  .thenFn("sell", { emits: [TicketSold] }, (ticket) => emit(TicketSold, ticket, ticket))
  .thenFn("print", ({ crossing }) => `One to ${crossing}`)
  .withEventSink(takings);
