import { Axon, branch, emit, fault, jump, transition } from "framework";

import { loyalDiscount } from "./loyal-discount.js";
import {
  Order,
  OrderAccepted,
  OutOfStock,
  type PricedOrder,
  Receipt,
  UNKNOWN_PRODUCT,
  unknownProduct,
} from "./order.js";
import { Catalogue, Stock } from "./shop.js";

const LOYAL_FROM_CENTS = 5000;

const price = transition({
  name: "price",
  description: "Adds up the lines by the catalogue",
  uses: { catalogue: Catalogue },
  responses: [UNKNOWN_PRODUCT],
  run(order: Order, bus) {
    const { catalogue } = bus;
    const ordered = new Map<string, number>();
    let subtotal = 0;
    for (const { sku, qty } of order.lines) {
      const product = catalogue.get(sku);
      if (product === undefined) return fault(unknownProduct(sku));
      subtotal += product.price_cents * qty;
      // Lines of one product are one, as the stock has to cover all of them.
      ordered.set(sku, (ordered.get(sku) ?? 0) + qty);
    }
    const lines = [...ordered].map(([sku, qty]) => ({ sku, qty }));
    return { order: { ...order, lines }, subtotal, discount: 0 };
  },
});

const rate = transition({
  name: "rate",
  description: "Sends large orders of loyal customers through their discount",
  branches: ["loyal"],
  run(priced: PricedOrder) {
    return priced.order.loyal === true && priced.subtotal >= LOYAL_FROM_CENTS
      ? branch("loyal", priced)
      : priced;
  },
});

const reserve = transition({
  name: "reserve",
  description: "Takes the goods from the stock, or prices again what there is of them",
  uses: { stock: Stock },
  jumps: ["price"],
  responses: [OutOfStock.problem],
  run(priced: PricedOrder, bus) {
    const { stock } = bus;
    const { order } = priced;
    const short = order.lines.find(({ sku, qty }) => qty > stock.left(sku));
    if (short === undefined) {
      for (const { sku, qty } of order.lines) stock.take(sku, qty);
      return priced;
    }
    const lines = order.lines
      .map(({ sku, qty }) => ({ sku, qty: Math.min(qty, stock.left(sku)) }))
      .filter(({ qty }) => qty > 0);
    if (order.partial !== true || lines.length === 0)
      return fault(new OutOfStock(short.sku, stock.left(short.sku)));
    // Once: what is left of the order is in stock.
    return jump("price", { ...order, lines });
  },
});

const accept = transition({
  name: "accept",
  output: Receipt,
  emits: [OrderAccepted],
  run({ order, subtotal, discount }: PricedOrder) {
    const receipt: Receipt = {
      customer: order.customer,
      lines: order.lines,
      subtotal_cents: subtotal,
      discount_cents: discount,
      total_cents: subtotal - discount,
    };
    return emit(OrderAccepted, receipt, receipt);
  },
});

export const placeOrder = Axon.start("place-order", Order)
  .label("price")
  .then(price)
  .then(rate)
  .branch("loyal", loyalDiscount)
  .then(reserve)
  .then(accept);
