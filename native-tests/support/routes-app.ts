// An application's module for `framework routes`: with routes of several kinds, and
// something that keeps its process alive.

import { Axon, bytes, combine, Framework, guard, pass, path, query, Type } from "framework";

const Order = Type.Object({ sku: Type.String() }, { $id: "Order" });
const Page = Type.Object({ page: Type.Integer() }, { title: "Page" });

const open = guard({ name: "open", run: (input) => pass(input) });
const order = Axon.start("order", Order).thenFn("keep", (given) => given);
const show = Axon.start<unknown>("show").thenFn("show", () => "");
const keep = Axon.start<Uint8Array>("keep").thenFn("keep", () => "");
const lost = Axon.start("lost").thenFn("lost", () => "");

setInterval(() => {}, 1000);

export const ingress = Framework.http()
  .guard(open)
  .post("/orders", order)
  .get("/orders/:id", show, {
    input: combine({ at: path(Type.Object({ id: Type.String() })), page: query(Page) }),
  })
  .put("/file", keep, { input: bytes() })
  .fallback(lost);

export const made = async () => Framework.http().get("/", lost);
