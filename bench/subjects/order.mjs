// The order that JSON suites send (0.9 KB), and the answer to it.

export const sampleOrder = () => ({
  id: "0190f2b0-1111-7000-8000-000000000001",
  customer: "Jane Roe",
  email: "jane@example.com",
  total: 123.45,
  items: Array.from({ length: 8 }, (_, i) => ({
    sku: `SKU-${String(i + 1).padStart(5, "0")}`,
    qty: i + 1,
    price: 3 * (i + 1) + 0.5,
    note: `some note text to fill the space ${i + 1}`,
  })),
  pad: "x".repeat(200),
});

/** The work between body and answer, the same in every arm. */
export function receiptOf({ id, items }) {
  let subtotal = 0;
  for (let i = 0; i < items.length; i += 1) subtotal += items[i].qty * items[i].price;
  return {
    id,
    status: "accepted",
    lines: items.length,
    subtotal,
    tax: subtotal * 0.2,
    total: subtotal * 1.2,
  };
}
