// All that the shop serves: for main.ts, and for `framework compliance report`.

import type { EventSink } from "framework";

import { shop } from "./app.js";
import { deliver, takings } from "./deliveries.js";

export const ingress = (accepted: EventSink = { send: () => {} }) =>
  shop(accepted)
    .post("/deliveries", deliver, { summary: "Drives an order to a city", tags: ["deliveries"] })
    .get("/takings", takings, { summary: "The takings of the day", tags: ["deliveries"] });
