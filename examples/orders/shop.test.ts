import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { isFault } from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";

import { shop } from "./app.js";
import type { Order, Receipt } from "./order.js";
import { placeOrder } from "./place-order.js";
import { type Catalogue, Inventory } from "./shop.js";

const catalogue: Catalogue = new Map(
  [
    { sku: "tea", name: "Tea", price_cents: 500, stock: 10 },
    { sku: "pot", name: "Pot", price_cents: 9000, stock: 2 },
  ].map((product) => [product.sku, product]),
);
const order = (lines: Order["lines"], more: Partial<Order> = {}): Order => ({
  customer: "Ada",
  lines,
  ...more,
});

/** A shop of its own, and what it told of accepted orders. */
function open() {
  const accepted: unknown[] = [];
  const stock = new Inventory(catalogue);
  const app = new TestApp(shop({ send: (event) => accepted.push(event) }), {
    Catalogue: catalogue,
    Stock: stock,
  });
  const place = async (json: unknown) =>
    (await app.post("/orders", { json })).json as Receipt & { code: string };
  return { app, accepted, stock, place };
}

describe("the shop", () => {
  test("prices an order, takes its goods from the stock and tells of it", async () => {
    const { place, accepted, stock } = open();
    const receipt = await place(order([{ sku: "tea", qty: 4 }]));

    assert.deepEqual([receipt.subtotal_cents, receipt.discount_cents, receipt.total_cents], [2000, 0, 2000]);
    assert.equal(stock.left("tea"), 6);
    assert.deepEqual(accepted, [{ name: "order.accepted", payload: receipt }]);
  });

  test("gives loyal customers a tenth off large orders, and no one else", async () => {
    const discounts = await Promise.all(
      [
        order([{ sku: "pot", qty: 1 }], { loyal: true }),
        order([{ sku: "tea", qty: 1 }], { loyal: true }),
        order([{ sku: "pot", qty: 1 }]),
      ].map((each) => open().place(each)),
    );

    assert.deepEqual(
      discounts.map((receipt) => receipt.discount_cents),
      [900, 0, 0],
    );
  });

  test("prices again what there is, where the customer takes less", async () => {
    const { place, stock } = open();
    const receipt = await place(
      order(
        [
          { sku: "pot", qty: 5 },
          { sku: "tea", qty: 1 },
        ],
        { partial: true, loyal: true },
      ),
    );

    assert.deepEqual(receipt.lines, [
      { sku: "pot", qty: 2 },
      { sku: "tea", qty: 1 },
    ]);
    assert.deepEqual([receipt.subtotal_cents, receipt.discount_cents], [18_500, 1850]);
    assert.equal(stock.left("pot"), 0);
  });

  test("refuses what it does not have, and takes nothing", async () => {
    const { app, place, stock, accepted } = open();
    const short = (
      await app.post("/orders", {
        json: order([
          { sku: "tea", qty: 1 },
          { sku: "pot", qty: 3 },
        ]),
      })
    ).problem;

    assert.deepEqual(
      [short.status, short.code, short["sku"], short["left"]],
      [409, "OUT_OF_STOCK", "pot", 2],
    );
    assert.equal((await place(order([{ sku: "jug", qty: 1 }]))).code, "UNKNOWN_PRODUCT");
    assert.equal((await place(order([{ sku: "tea", qty: 0 }]))).code, "INPUT_INVALID");
    assert.deepEqual([stock.left("tea"), accepted.length], [10, 0]);
  });

  test("takes lines of one product as one, so that the stock covers all of them", async () => {
    const { place, stock } = open();
    const twice = order([
      { sku: "tea", qty: 6 },
      { sku: "tea", qty: 5 },
    ]);

    assert.equal((await place(twice)).code, "OUT_OF_STOCK");
    assert.equal(stock.left("tea"), 10);
    assert.deepEqual((await place({ ...twice, partial: true })).lines, [{ sku: "tea", qty: 10 }]);
    assert.equal(stock.left("tea"), 0);
  });

  test("takes no order of who has a barred card, nor more than it can serve of one customer", async () => {
    const { app, stock } = open();
    const send = (card: string) =>
      app.post("/orders", {
        json: order([{ sku: "tea", qty: 20 }]),
        headers: { "x-customer-card": card },
      });

    assert.equal((await send("card-13")).problem.code, "CARD_BARRED");
    assert.equal((await send("card-1")).problem.code, "OUT_OF_STOCK");
    const answers = await Promise.all(Array.from({ length: 200 }, () => send("card-1")));
    assert.ok(answers.some(({ status }) => status === 429));
    assert.equal(stock.left("tea"), 10);
  });

  test("shows its products", async () => {
    const { app } = open();

    assert.deepEqual((await app.get("/products/pot")).json, {
      sku: "pot",
      name: "Pot",
      price_cents: 9000,
      stock: 2,
    });
    assert.equal(((await app.get("/products")).json as unknown[]).length, 2);
    assert.equal((await app.get("/products/jug")).problem.status, 404);
  });
});

describe("placing an order, step by step", () => {
  test("faults where nothing is left of it", async () => {
    const empty = new Inventory(new Map());
    const kit = new AxonTestKit({ Catalogue: catalogue, Stock: empty });
    const { outcome } = await kit.run(placeOrder, order([{ sku: "pot", qty: 1 }], { partial: true }));

    assert.ok(isFault(outcome));
  });
});
