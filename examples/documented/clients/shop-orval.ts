// Calls examples/orders with the functions that orval generates.

import { getProducts, getProductsBySku, postOrders } from "./generated/shop-calls.js";

export async function skus(): Promise<readonly string[]> {
  const answer = await getProducts();
  if (answer.status !== 200) throw new Error(`${answer.data.code}: ${answer.data.title}`);
  return answer.data.map(({ sku }) => sku);
}

/** In cents; undefined where there is no such product. */
export async function priceOf(sku: string): Promise<number | undefined> {
  const answer = await getProductsBySku(sku);
  return answer.status === 200 ? answer.data.price_cents : undefined;
}

/** What the order costs in cents, or the code of the problem. */
export async function order(customer: string, sku: string, qty: number): Promise<number | string> {
  const answer = await postOrders({ customer, lines: [{ sku, qty }] });
  return answer.status === 200 ? answer.data.total_cents : answer.data.code;
}
