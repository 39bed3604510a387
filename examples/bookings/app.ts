import { Framework, openStores, ProblemDetail } from "framework";

import { booking, PaymentsKey } from "./bookings.js";

const NO_SUCH_CABIN = { status: 409, code: "NO_SUCH_CABIN", title: "There is no such cabin" } as const;

/** `url` is the whole difference between one file and a server that many processes share. */
export const ferries = (url: string, leaseMs = 10_000) =>
  Framework.http({ resources: [PaymentsKey] })
    .stores(openStores(url), { leaseMs })
    .readinessLivenessDefault()
    .post("/bookings", booking, {
      summary: "Books a cabin, and takes the money for it",
      responses: [NO_SUCH_CABIN],
      onFault: ({ cabin }) => new ProblemDetail({ ...NO_SUCH_CABIN, detail: `There is no cabin ${cabin}` }),
    })
    .openapi("/openapi.json", { info: { title: "Bookings of ferries", version: "1.0.0" } });
