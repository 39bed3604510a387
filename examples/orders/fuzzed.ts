// What `framework fuzz` drives: the shop with a catalogue and a stock of its own.

import { shop } from "./app.js";
import { Inventory, loadCatalogue } from "./shop.js";

export const ingress = () => shop({ send: () => {} });

export function resources() {
  const catalogue = loadCatalogue();
  return { Catalogue: catalogue, Stock: new Inventory(catalogue) };
}
