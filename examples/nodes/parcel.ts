import { busKey, ProblemDetail, type Static, Type } from "framework";

/** What a tenant wants to send. */
export const Parcel = Type.Object({
  sku: Type.String(),
  grams: Type.Integer(),
  country: Type.String(),
  fragile: Type.Optional(Type.Boolean()),
});
export type Parcel = Static<typeof Parcel>;

export const Quote = Type.Object({ cents: Type.Integer() });

/** The service that knows what a tenant has agreed on: 90 is nine tenths of the list price. */
export interface Rates {
  percentOf(tenant: string, signal: AbortSignal): Promise<number>;
}
export const Rates = busKey<Rates>()("Rates");

export class UnknownTenant extends Error {}

export const noContract = new ProblemDetail({
  status: 403,
  code: "NO_CONTRACT",
  title: "The tenant has no contract",
});

export const notServed = new ProblemDetail({
  status: 409,
  code: "NOT_SERVED",
  title: "We do not send to that country",
});
