// A booking takes money and a cabin. Wherever its process stops, another one brings it to its end:
// booked and paid, or neither.

import { Type } from "@sinclair/typebox";
import { Axon, busKey, fault, RunId, Stores, transition } from "framework";

import type { Payments } from "./payments.js";

export const PaymentsKey = busKey<Payments>()("Payments");

const Booking = Type.Object(
  {
    passenger: Type.String({ minLength: 1 }),
    cabin: Type.Integer({ minimum: 1 }),
    cents: Type.Integer({ minimum: 1 }),
  },
  { $id: "Booking" },
);

const Booked = Type.Object(
  { passenger: Type.String(), cabin: Type.Integer(), receipt: Type.String() },
  { $id: "Booked" },
);
type Booked = typeof Booked.static;

const CABINS = 40;

const pay = transition({
  name: "pay",
  uses: { payments: PaymentsKey, runId: RunId },
  async run({ passenger, cabin, cents }: typeof Booking.static, bus): Promise<Booked> {
    // A step that was stopped runs again. By the run's id the provider knows the charge.
    const receipt = await bus.payments.charge(bus.runId, cents);
    return { passenger, cabin, receipt };
  },
});

const refund = transition({
  name: "refund",
  uses: { payments: PaymentsKey, runId: RunId },
  run: ({ input }: { readonly input: typeof Booking.static }, bus) =>
    bus.payments.refund(bus.runId, input.cents),
});

export const booking = Axon.start("booking", Booking)
  .withPersistenceStore(Stores.mounted)
  .thenCompensated(pay, refund)
  .thenFn("assign", ({ passenger, cabin, receipt }) =>
    cabin > CABINS ? fault({ kind: "no-such-cabin", cabin }) : { passenger, cabin, receipt },
  )
  .withOutputSchema(Booked);
