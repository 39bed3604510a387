// The four small steps of a route that takes nothing and has no guards.

export const totalSteps = {
  price: () => ({ subtotal: 3 * 19, discount: 0, tax: 0, total: 0 }),
  reduce: (order) => {
    order.discount = order.subtotal > 50 ? 5 : 0;
    return order;
  },
  tax: (order) => {
    order.tax = (order.subtotal - order.discount) * 0.25;
    return order;
  },
  sum: (order) => {
    order.total = order.subtotal - order.discount + order.tax;
    return order;
  },
};
