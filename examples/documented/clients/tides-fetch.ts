// Uploads to examples/documented/tides.ts with openapi-fetch.

import createClient from "openapi-fetch";

import type { paths } from "./generated/tides.js";

/** The bytes that the server counted, or the code of the problem. */
export async function sighting(baseUrl: string, metres: number, gauge: File): Promise<number | string> {
  const tides = createClient<paths>({ baseUrl });
  const { data, error } = await tides.POST("/harbours/{harbour}/sightings", {
    params: { path: { harbour: "brest" } },
    // The type of a file is string: a body of JSON could hold nothing else.
    body: { metres, gauge: gauge as unknown as string },
    bodySerializer: (body) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(body)) form.append(name, value as unknown as string | Blob);
      return form;
    },
  });
  return error === undefined ? data.photo_bytes : error.code;
}
