import { type EventSink, Framework } from "framework";

import { door } from "./door.js";
import { placeOrder } from "./place-order.js";
import { listProducts, showProduct } from "./products.js";
import { Catalogue, Stock } from "./shop.js";

/** The shop as an HTTP server, with its OpenAPI document. `accepted` is told of each order. */
export const shop = (accepted: EventSink) =>
  Framework.http({ resources: [Catalogue, Stock] })
    .requestIdLayer()
    .get("/products", listProducts, { summary: "What the shop sells", tags: ["products"] })
    .get("/products/:sku", showProduct, { summary: "A product, and how much is left", tags: ["products"] })
    .post("/orders", placeOrder.withEventSink(accepted), {
      guards: door(),
      summary: "Orders what there is",
      tags: ["orders"],
    })
    .openapi("/openapi.json", { info: { title: "The shop", version: "1.0.0" } });
