import { Axon, Framework, Log, Type } from "framework";

const Sale = Type.Object(
  { sku: Type.String({ maxLength: 40 }), cents: Type.Integer({ minimum: 1 }) },
  { $id: "Sale" },
);

// Each line of its log has the ids of the request that it belongs to.
const sell = Axon.start("sell", Sale).thenFn("sell", { uses: { log: Log } }, (sale, bus) => {
  bus.log.info({ sale }, "sold");
  return { cents: sale.cents };
});

export const app = () => Framework.http().requestIdLayer().post("/sales", sell);
