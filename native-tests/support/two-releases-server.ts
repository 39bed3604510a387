// A server of keyed orders that are kept, of this release or of one before it.
//   STORE: URL. RELEASE: "older" knows one version of the tables less; it migrates only where there are none.

import { register } from "node:module";

const { STORE = "", RELEASE, AUTO_MIGRATE = "false" } = process.env;

const HOOKS = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!/sql\\/migrations\\.[jt]s$/.test(url)) return loaded;
  const source = String(loaded.source).replace("MIGRATIONS.length", "MIGRATIONS.length - 1");
  return { ...loaded, source };
}`;
if (RELEASE === "older") register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);

// Loaded behind the hooks. The name of an internal module keeps this program off the bundle, which has no such file.
const { STORE_VERSION } = await import("#store/sql/migrations.js");
const { Axon, Framework, openStores, Stores, Type } = await import("framework");
const { IdempotencyGuard } = await import("framework/std");

const orders = Axon.start("orders", Type.Object({ amount: Type.Number() }))
  .withPersistenceStore(Stores.mounted)
  .thenFn("take", ({ amount }) => ({ amount, by: process.pid, tables: STORE_VERSION }));

const server = await Framework.http()
  .stores(openStores(STORE, { autoMigrate: AUTO_MIGRATE === "true" }), { leaseMs: 1000 })
  .post("/orders", orders, { guards: [new IdempotencyGuard()] })
  .drainIdle(0)
  .bind("127.0.0.1:0")
  .run();

console.log(`listening ${server.address}`);
