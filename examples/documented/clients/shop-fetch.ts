// Calls examples/orders with openapi-fetch and the types that openapi-typescript generates.

import createClient from "openapi-fetch";

import type { components, paths } from "./generated/shop.js";

export type Problem = components["schemas"]["ProblemDetail"];

export function shopClient(baseUrl: string) {
  const shop = createClient<paths>({ baseUrl });
  return {
    /** In cents; undefined where there is no such product. */
    async priceOf(sku: string): Promise<number | undefined> {
      const { data } = await shop.GET("/products/{sku}", { params: { path: { sku } } });
      return data?.price_cents;
    },

    /** What the order costs in cents, or why it was refused. */
    async order(customer: string, sku: string, qty: number): Promise<number | Problem> {
      const { data, error } = await shop.POST("/orders", { body: { customer, lines: [{ sku, qty }] } });
      return error ?? data.total_cents;
    },
  };
}
