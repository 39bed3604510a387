// An order, with what a replay has to know: which steps act on the world.

import { Axon, busKey, Stores, Type, transition } from "framework";

export interface Bank {
  charge(cents: number): Promise<string>;
}

export const BankKey = busKey<Bank>()("Bank");

const Order = Type.Object({
  lines: Type.Array(
    Type.Object({ cents: Type.Integer({ minimum: 1 }), count: Type.Integer({ minimum: 1 }) }),
  ),
});

/** A replay runs it. */
const price = transition({
  name: "price",
  pure: true,
  input: Order,
  run: ({ lines }) => lines.reduce((sum, { cents, count }) => sum + cents * count, 0),
});

/** A replay returns the stored receipt, and charges nothing. */
const charge = transition({
  name: "charge",
  effect: true,
  reads: [BankKey],
  run: async (cents: number, bus) => ({ cents, receipt: await bus.get(BankKey).charge(cents) }),
});

/** Not declared. It uses no resource and no client, so a replay runs it, and refuses it a socket. */
const thank = transition({
  name: "thank",
  run: ({ cents, receipt }: { readonly cents: number; readonly receipt: string }) =>
    `Thank you for ${(cents / 100).toFixed(2)} (${receipt})`,
});

export const order = Axon.start("order", Order)
  .withPersistenceStore(Stores.mounted)
  .then(price)
  .then(charge)
  .then(thank);
