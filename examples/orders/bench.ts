// What `framework bench` measures: an order, in process and over a socket.

import { Bus, Framework } from "framework";
import { bench } from "framework/bench";

import { placeOrder } from "./place-order.js";
import { showProduct } from "./products.js";
import { Catalogue, Inventory, loadCatalogue, Stock } from "./shop.js";

const order = {
  customer: "Ada",
  loyal: true,
  lines: [
    { sku: "pot", qty: 1 },
    { sku: "tea", qty: 2 },
  ],
};

/** Of a stock that no number of orders empties. */
export function resources() {
  const products = [...loadCatalogue().values()].map((product) => ({ ...product, stock: 1e12 }));
  const catalogue = new Map(products.map((product) => [product.sku, product]));
  return { Catalogue: catalogue, Stock: new Inventory(catalogue) };
}

/** Without the door of the shop: its rate limit would refuse most of the load. */
export const ingress = () =>
  Framework.http({ resources: [Catalogue, Stock] })
    .get("/products/:sku", showProduct)
    .post("/orders", placeOrder.withEventSink({ send: () => {} }));

const { Catalogue: catalogue, Stock: stock } = resources();
const bus = Bus.of([
  [Catalogue, catalogue],
  [Stock, stock],
]);

bench("place an order", placeOrder.budget({ bytes: 4096 }), order, bus);
bench("add up an order by hand", () => {
  let total = 0;
  for (const { sku, qty } of order.lines) total += (catalogue.get(sku)?.price_cents ?? 0) * qty;
  return total;
});
bench.route("POST /orders", { body: order });
bench.route("GET /products/tea");
