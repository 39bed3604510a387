// Uploads to examples/documented/tides.ts with the function that orval generates.

import { postHarboursByHarbourSightings } from "./generated/tides-calls.js";

/** The bytes that the server counted, or the code of the problem. */
export async function sighting(metres: number, gauge: Blob): Promise<number | string> {
  const answer = await postHarboursByHarbourSightings("brest", { metres, gauge });
  return answer.status === 201 ? answer.data.photo_bytes : answer.data.code;
}
