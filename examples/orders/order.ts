import { eventKind, ProblemDetail, Sensitive, type Static, Type } from "framework";

const Line = Type.Object(
  {
    sku: Type.String({ minLength: 1, maxLength: 20, examples: ["tea", "pot"] }),
    qty: Type.Integer({ minimum: 1, maximum: 100 }),
  },
  { $id: "Line" },
);

/** What a customer sends. */
export const Order = Type.Object(
  {
    customer: Sensitive(Type.String({ minLength: 1, maxLength: 60 }), { category: "name" }),
    loyal: Type.Optional(Type.Boolean()),
    /** Send what there is, where there is not enough. */
    partial: Type.Optional(Type.Boolean()),
    lines: Type.Array(Line, { minItems: 1, maxItems: 20 }),
  },
  { $id: "Order" },
);
export type Order = Static<typeof Order>;

/** All of one product. */
const Sold = Type.Object({ sku: Type.String(), qty: Type.Integer({ minimum: 1 }) }, { $id: "Sold" });

/** What the customer is answered. */
export const Receipt = Type.Object(
  {
    customer: Sensitive(Type.String(), { category: "name" }),
    lines: Type.Array(Sold),
    subtotal_cents: Type.Integer(),
    discount_cents: Type.Integer(),
    total_cents: Type.Integer(),
  },
  { $id: "Receipt" },
);
export type Receipt = Static<typeof Receipt>;

export const OrderAccepted = eventKind<Receipt>()("order.accepted");

/** An order between two steps: what was ordered, and what it costs so far. */
export interface PricedOrder {
  readonly order: Order;
  readonly subtotal: number;
  readonly discount: number;
}

/** What a step declares and what it faults with are one object. */
export const UNKNOWN_PRODUCT = {
  status: 422,
  code: "UNKNOWN_PRODUCT",
  title: "There is no such product",
} as const;

export const unknownProduct = (sku: string): ProblemDetail =>
  new ProblemDetail({ ...UNKNOWN_PRODUCT, detail: sku });

export class OutOfStock {
  static readonly problem = {
    status: 409,
    code: "OUT_OF_STOCK",
    title: "There is not enough of a product",
  } as const;
  readonly sku: string;
  readonly left: number;

  constructor(sku: string, left: number) {
    this.sku = sku;
    this.left = left;
  }

  toProblemDetail(): ProblemDetail {
    const { sku, left } = this;
    return new ProblemDetail({
      ...OutOfStock.problem,
      detail: "Order less, or with partial: true",
      extensions: { sku, left },
    });
  }
}
