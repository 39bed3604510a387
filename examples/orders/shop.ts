// What the shop has: its catalogue, and how much of each product is left.

import { readFileSync } from "node:fs";

import { busKey } from "framework";

interface Product {
  readonly sku: string;
  readonly name: string;
  readonly price_cents: number;
  readonly stock: number;
}

export type Catalogue = ReadonlyMap<string, Product>;

/** Given to the server when it runs, and to tests as they like. */
export const Catalogue = busKey<Catalogue>()("Catalogue");
export const Stock = busKey<Inventory>()("Stock");

export function loadCatalogue(): Catalogue {
  const file = new URL("catalogue.json", import.meta.url);
  const products = JSON.parse(readFileSync(file, "utf8")) as readonly Product[];
  return new Map(products.map((product) => [product.sku, product]));
}

export class Inventory {
  readonly #left: Map<string, number>;

  constructor(catalogue: Catalogue) {
    this.#left = new Map([...catalogue.values()].map(({ sku, stock }) => [sku, stock]));
  }

  left(sku: string): number {
    return this.#left.get(sku) ?? 0;
  }

  take(sku: string, qty: number): void {
    this.#left.set(sku, this.left(sku) - qty);
  }
}
