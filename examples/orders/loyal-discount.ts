import { Axon } from "framework";

import type { PricedOrder } from "./order.js";

const LOYAL_PERCENT = 10;

export const loyalDiscount = Axon.start<PricedOrder>("loyal-discount").thenFn("discount", (priced) => ({
  ...priced,
  discount: Math.round((priced.subtotal * LOYAL_PERCENT) / 100),
}));
