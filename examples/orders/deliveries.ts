// What happens to orders behind the counter: for those who work there, and not always well.

import {
  Axon,
  DlqPolicy,
  fault,
  IamError,
  IamPolicy,
  type IamVerifier,
  MemoryDeadLetters,
  ProblemDetail,
  RetryPolicy,
  Sensitive,
  Type,
} from "framework";

/** Tokens of people who work here. A real shop has a JwtVerifier. */
const staff: IamVerifier = {
  description: "the staff's tokens",
  verify: (token) =>
    token === "clerk-of-the-shop" || token === "manager-of-the-shop"
      ? { subject: token, roles: [token.slice(0, token.indexOf("-"))], claims: {} }
      : IamError.invalidToken("Nobody works here with that token"),
};

const Delivery = Type.Object({
  order: Type.String({ minLength: 1, maxLength: 40 }),
  city: Sensitive(Type.String({ minLength: 2, maxLength: 40 }), { category: "address" }),
  grams: Type.Integer({ minimum: 1, maximum: 30_000 }),
});

/** What could not be delivered: the Inspector lists it, and tries it again. */
const undelivered = new MemoryDeadLetters({ maxLetters: 500 });

/** Cities that nobody can drive to at the moment. */
export const closed = new Set(["Atlantis"]);

/** The end of the world: what takes so long is a stall. */
const TO_USHUAIA_MS = 5000;

const ROADS_CLOSED = new ProblemDetail({
  status: 503,
  code: "ROADS_CLOSED",
  title: "Nobody drives there today",
});

export const deliver = Axon.start("deliver", Delivery)
  .thenFn("weigh", (delivery) => ({ ...delivery, parcels: Math.ceil(delivery.grams / 5000) }))
  .thenFn("load", { responses: [ROADS_CLOSED] }, (delivery) =>
    closed.has(delivery.city) ? fault(ROADS_CLOSED) : delivery,
  )
  .thenFn("drive", async ({ order, city, parcels }) => {
    const ms = city === "Ushuaia" ? TO_USHUAIA_MS : 5 * parcels;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { order, parcels };
  })
  .withDlqSink(undelivered)
  .withDlqPolicy(DlqPolicy.retryThenSend(RetryPolicy.fixed(1, 5)));

/** For the manager alone: others are answered 401 and 403. */
export const takings = Axon.start("takings")
  .withIam(IamPolicy.requireRole("manager"), staff)
  .thenFn("add up", async () => {
    await new Promise((resolve) => setTimeout(resolve, 40 + Math.random() * 160));
    return { cents: 123_400 };
  });
