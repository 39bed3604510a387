// An application's module for `framework schematic`: `ingress` lost a guard of `before`, and its step asks for more.

import { Axon, Framework, guard, pass, Type } from "framework";

const open = guard({ name: "Open", run: (input) => pass(input) });
const list = Type.Recursive((This) => Type.Object({ next: Type.Optional(This) }), {});
const order = (sku: object) =>
  Axon.start("order", Type.Object({ sku: Type.String(sku), list }))
    .thenFn("keep", ({ sku }) => sku)
    .withOutputSchema(Type.String());

export const before = Framework.http().post("/orders", order({}), { guards: [open] });

export const ingress = Framework.http()
  .post("/orders", order({ minLength: 1 }))
  .ws("/chat", { message: (text) => text, close: () => undefined });

export const nightly = Axon.start("nightly").thenFn("sweep", () => "");
