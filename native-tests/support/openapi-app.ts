// An application's module for `framework openapi`: what clients of `before` would miss is gone in `ingress`.

import { Axon, Framework, Type } from "framework";

const Order = Type.Object({ sku: Type.String() }, { $id: "Order" });
const order = Axon.start("order", Order).thenFn("keep", (given) => given);
const show = Axon.start("show").thenFn("show", () => "");

const info = { title: "Orders", version: "2.0.0" };

export const ingress = Framework.http()
  .post("/orders", order)
  .openapi("/openapi.json", { info })
  .openapi("/partners.json", { info: { ...info, title: "For partners" } });

export const before = Framework.http()
  .post("/orders", order)
  .get("/orders", show)
  .openapi("/a.json", { info });

export const undocumented = Framework.http().post("/orders", order);
