// Every arm checks and serialises by these: TypeBox schemas are JSON Schema too.

import { Type } from "@sinclair/typebox";

const Item = Type.Object({
  sku: Type.String({ pattern: "^SKU-[0-9]{5}$" }),
  qty: Type.Integer({ minimum: 1, maximum: 1000 }),
  price: Type.Number({ minimum: 0 }),
  note: Type.Optional(Type.String({ maxLength: 200 })),
});

export const Order = Type.Object({
  id: Type.String({ minLength: 36, maxLength: 36 }),
  customer: Type.String({ minLength: 1, maxLength: 100 }),
  email: Type.String({ pattern: "^[^@ ]+@[^@ ]+$" }),
  total: Type.Number({ minimum: 0 }),
  pad: Type.Optional(Type.String()),
  items: Type.Array(Item, { minItems: 1, maxItems: 100 }),
});

export const Receipt = Type.Object({
  id: Type.String(),
  status: Type.String(),
  lines: Type.Number(),
  subtotal: Type.Number(),
  tax: Type.Number(),
  total: Type.Number(),
});

export const Greeting = Type.Object({
  message: Type.String(),
  id: Type.Number(),
  ok: Type.Boolean(),
  tags: Type.Array(Type.String()),
  nested: Type.Object({ x: Type.Number(), y: Type.String() }),
});

export const Total = Type.Object({
  subtotal: Type.Number(),
  discount: Type.Number(),
  tax: Type.Number(),
  total: Type.Number(),
});
