// Who may order, and how often.

import { fault, guard, header, ProblemDetail, pass } from "framework";
import { RateLimitGuard } from "framework/std";

const barred: ReadonlySet<string> = new Set(["card-13"]);

const CARD_BARRED = new ProblemDetail({
  status: 403,
  code: "CARD_BARRED",
  title: "This customer's card is barred",
});

/** Customers without a card are let in. */
const cardGuard = guard({
  name: "card",
  mayUse: { card: header("x-customer-card") },
  responses: [CARD_BARRED],
  run(input, bus) {
    return barred.has(bus.card ?? "") ? fault(CARD_BARRED) : pass(input);
  },
});

/** Of each client 35 orders at once, and as many every 10 s. */
export const door = () => [cardGuard, new RateLimitGuard(35, 10_000, { name: "orders" })];
