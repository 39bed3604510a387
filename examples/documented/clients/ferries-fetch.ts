// Calls examples/bookings with openapi-fetch and the types that openapi-typescript generates.

import createClient from "openapi-fetch";

import type { paths } from "./generated/ferries.js";

/** The receipt of the booking, or the code of the problem. */
export async function book(baseUrl: string, passenger: string, cabin: number): Promise<string> {
  const ferries = createClient<paths>({ baseUrl });
  const { data, error } = await ferries.POST("/bookings", { body: { passenger, cabin, cents: 4200 } });
  return error === undefined ? data.receipt : error.code;
}
