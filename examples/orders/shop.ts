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
  readonly #catalogue: Catalogue;
  readonly #left = new Map<string, number>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.restock();
  }

  /** As much of each product as the catalogue says. */
  restock(): void {
    for (const { sku, stock } of this.#catalogue.values()) this.#left.set(sku, stock);
  }

  left(sku: string): number {
    return this.#left.get(sku) ?? 0;
  }

  take(sku: string, qty: number): void {
    this.#left.set(sku, this.left(sku) - qty);
  }
}
