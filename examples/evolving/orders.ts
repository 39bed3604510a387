// An order whose Axon has changed while orders are under way. The first version stays in the code
// until the last of its runs has ended; the second one names what becomes of them.

import { Type } from "@sinclair/typebox";
import { Axon, MigrationStrategy, Stores } from "framework";

const Order = Type.Object(
  { sku: Type.String({ minLength: 1 }), pieces: Type.Integer({ minimum: 1 }) },
  { $id: "Order" },
);

const WEEK_MS = 604_800_000;
const PIECES_IN_BOX = 12;

/** As it was: a box for each piece. It begins no new orders. */
export const firstOrder = Axon.start("order", Order)
  .withPersistenceStore(Stores.mounted)
  .thenFn("pack", ({ sku, pieces }) => ({ sku, boxes: pieces }))
  .sleep("week to withdraw", WEEK_MS)
  .thenFn("ship", ({ sku, boxes }) => `${boxes} boxes of ${sku}`);

export const order = Axon.start("order", Order)
  .withVersion("2.0.0")
  .withPersistenceStore(Stores.mounted, {
    migrations: [
      // Not packed yet: it resumes at the step that took the place of "pack", with the same input.
      { from: "1.0.0", strategy: MigrationStrategy.migrateActiveNode("order/pack", "order/fill boxes") },
      // Packed already, or about to ship: it ends as it began.
      { from: "1.0.0", strategy: MigrationStrategy.completeOnOldVersion(firstOrder) },
    ],
  })
  .thenFn("fill boxes", ({ sku, pieces }) => ({ sku, boxes: Math.ceil(pieces / PIECES_IN_BOX) }))
  .sleep("week to withdraw", WEEK_MS)
  .thenFn("ship", ({ sku, boxes }) => `${boxes} full boxes of ${sku}`);
