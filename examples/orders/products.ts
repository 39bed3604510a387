import { Axon, fault, ProblemDetail, param, Type } from "framework";

import { Catalogue, Stock } from "./shop.js";

const Product = Type.Object(
  { sku: Type.String(), name: Type.String(), price_cents: Type.Integer() },
  { $id: "Product" },
);
const ProductInStock = Type.Object(
  { ...Product.properties, stock: Type.Integer() },
  { $id: "ProductInStock" },
);

const NO_PRODUCT = new ProblemDetail({
  status: 404,
  code: "UNKNOWN_PRODUCT",
  title: "There is no such product",
});

export const listProducts = Axon.start("list-products")
  .thenFn("list", { uses: { catalogue: Catalogue } }, (_, bus) => [...bus.catalogue.values()])
  .withOutputSchema(Type.Array(Product));

export const showProduct = Axon.start("show-product")
  .thenFn(
    "find",
    { uses: { catalogue: Catalogue, stock: Stock, sku: param("sku") }, responses: [NO_PRODUCT] },
    (_, bus) => {
      const product = bus.catalogue.get(bus.sku);
      if (product === undefined) return fault(NO_PRODUCT);
      return { ...product, stock: bus.stock.left(product.sku) };
    },
  )
  .withOutputSchema(ProductInStock);
