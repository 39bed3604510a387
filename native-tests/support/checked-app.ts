// An application whose Axon has changed: for `framework runs check`.

import { Axon, busKey, Framework, MigrationStrategy, openStores, Stores, Type } from "framework";

const Desk = busKey<string>()("Desk");

const order = Axon.start("order", Type.Number()).withPersistenceStore(Stores.mounted);
export const first = order
  .thenFn("pay", (n) => n)
  .sleep("rest", 3_600_000)
  .thenFn("ship", (n) => n);

/** Its step "pay" is "charge". */
export const second = Axon.start("order", Type.Number())
  .withVersion("2.0.0")
  .withPersistenceStore(Stores.mounted, {
    migrations: [
      { from: "1.0.0", strategy: MigrationStrategy.migrateActiveNode("order/pay", "order/charge") },
    ],
  })
  .thenFn("charge", { uses: { desk: Desk } }, (n) => n)
  .sleep("rest", 3_600_000)
  .thenFn("ship", (n) => n);

export const checkedApp = (axon: typeof first | typeof second, url: string | undefined) => {
  const http = Framework.http({ resources: [Desk], processGuards: false });
  return (url === undefined ? http : http.stores(openStores(url)))
    .post("/orders", axon as typeof first, { detached: true })
    .bind("127.0.0.1:0");
};
