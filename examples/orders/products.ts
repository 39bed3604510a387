import { Axon, fault, ProblemDetail, param, Type } from "framework";

import { Catalogue, Stock } from "./shop.js";

const Product = { sku: Type.String(), name: Type.String(), price_cents: Type.Integer() };

export const listProducts = Axon.start("list-products")
  .thenFn(
    "list",
    (_, bus) =>
      [...bus.get(Catalogue).values()].map(({ sku, name, price_cents }) => ({ sku, name, price_cents })),
    { reads: [Catalogue] },
  )
  .withOutputSchema(Type.Array(Type.Object(Product)));

export const showProduct = Axon.start("show-product")
  .thenFn(
    "find",
    (_, bus) => {
      const product = bus.get(Catalogue).get(bus.get(param("sku")));
      if (product === undefined) {
        return fault(
          new ProblemDetail({ status: 404, code: "UNKNOWN_PRODUCT", title: "There is no such product" }),
        );
      }
      return { ...product, stock: bus.get(Stock).left(product.sku) };
    },
    { reads: [Catalogue, Stock, param("sku")] },
  )
  .withOutputSchema(Type.Object({ ...Product, stock: Type.Integer() }));
