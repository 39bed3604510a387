import { type EventSink, Framework } from "framework";

import { door } from "./door.js";
import { placeOrder } from "./place-order.js";
import { listProducts, showProduct } from "./products.js";
import { Catalogue, Stock } from "./shop.js";

/** The shop as an HTTP server. `accepted` is told of each order. */
export const shop = (accepted: EventSink) =>
  Framework.http({ resources: [Catalogue, Stock] })
    .requestIdLayer()
    .get("/products", listProducts)
    .get("/products/:sku", showProduct)
    .post("/orders", placeOrder.withEventSink(accepted), { guards: door() });
