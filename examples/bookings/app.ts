import { Framework, openStores, ProblemDetail } from "framework";

import { booking, PaymentsKey } from "./bookings.js";

/** `url` is the whole difference between one file and a server that many processes share. */
export const ferries = (url: string, leaseMs = 10_000) =>
  Framework.http({ resources: [PaymentsKey] })
    .stores(openStores(url), { leaseMs })
    .readinessLivenessDefault()
    .post("/bookings", booking, {
      summary: "Books a cabin, and takes the money for it",
      onFault: ({ cabin }) =>
        new ProblemDetail({ status: 409, code: "NO_SUCH_CABIN", title: `There is no cabin ${cabin}` }),
    });
