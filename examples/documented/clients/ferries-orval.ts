// Calls examples/bookings with the functions that orval generates.

import { postBookings } from "./generated/ferries-calls.js";

/** The receipt of the booking, or the code of the problem. */
export async function book(passenger: string, cabin: number): Promise<string> {
  const answer = await postBookings({ passenger, cabin, cents: 4200 });
  return answer.status === 200 ? answer.data.receipt : answer.data.code;
}
