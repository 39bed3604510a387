// The five steps of the executor's suites: a small computation on one object.
// `next` and `refuse` make what a step answers, as each arm writes it.

export const orders = () =>
  Array.from({ length: 64 }, (_, i) => ({
    quantity: 1 + (i % 9),
    price: 10 + 3 * i,
    subtotal: 0,
    discount: 0,
    tax: 0,
    total: 0,
    mixed: 0,
  }));

export const stepNames = ["check", "price", "reduce", "tax", "sum"];

export const smallSteps = (next, refuse) => [
  (order) => (order.quantity <= 0 ? refuse("quantity") : next(order)),
  (order) => {
    order.subtotal = order.quantity * order.price;
    return next(order);
  },
  (order) => {
    if (order.subtotal > 1_000_000) return refuse("subtotal");
    order.discount = order.subtotal > 500 ? 5 : 0;
    return next(order);
  },
  (order) => {
    order.tax = ((order.subtotal - order.discount) * 2) % 97;
    return next(order);
  },
  (order) => {
    order.total = order.subtotal - order.discount + order.tax;
    return next(order);
  },
];

const branches = Array.from(
  { length: 40 },
  (_, i) => `if (order.quantity === ${1000 + i}) order.mixed = (order.mixed * ${i + 3}) ^ order.tax;`,
).join("\n");

/** The same with 40 branches in front of each, too large for V8 to inline. Each call makes code of its own. */
export const largeSteps = (next, refuse) =>
  smallSteps(next, refuse).map((step) =>
    new Function("step", `return (order) => {\n${branches}\nreturn step(order);\n}`)(step),
  );

/** What the hand-written arms answer instead of an order. */
export class Refused {
  constructor(reason) {
    this.reason = reason;
  }
}
