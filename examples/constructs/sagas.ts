// Steps that are undone where a later one fails: the last first, each with what it got and answered.

import { Axon, busKey, type Done, fault, RetryPolicy, SagaPolicy, transition } from "framework";

export interface Holiday {
  readonly guest: string;
  readonly nights: number;
}

export interface Agency {
  cabin(guest: string): Promise<{ readonly cabin: number }>;
  freeCabin(cabin: number): Promise<void>;
  charge(guest: string, cents: number): Promise<{ readonly payment: string }>;
  refund(payment: string): Promise<void>;
  hasRoom(nights: number): boolean;
}

export const Agency = busKey<Agency>()("Agency");

const reserveCabin = transition({
  name: "reserve cabin",
  uses: { agency: Agency },
  run: async (holiday: Holiday, bus) => ({
    ...holiday,
    ...(await bus.agency.cabin(holiday.guest)),
  }),
});

/** A step can undo another: it is drawn, described, and reads the Bus. */
const freeCabin = transition({
  name: "free cabin",
  uses: { agency: Agency },
  run: ({ output }: Done<Holiday, { readonly cabin: number }>, bus) => bus.agency.freeCabin(output.cabin),
});

const charge = transition({
  name: "charge",
  uses: { agency: Agency },
  run: async (holiday: Holiday, bus) => ({
    ...holiday,
    ...(await bus.agency.charge(holiday.guest, holiday.nights * 9000)),
  }),
});

const refund = transition({
  name: "refund",
  uses: { agency: Agency },
  run: ({ output }: Done<unknown, { readonly payment: string }>, bus) => bus.agency.refund(output.payment),
});

export const bookHoliday = Axon.start<Holiday>("book-holiday")
  // The step and what undoes it, each with policies of its own.
  .thenCompensated(reserveCabin, freeCabin, {
    step: { retry: RetryPolicy.fixed(1, 50), timeoutMs: 2000 },
    retry: RetryPolicy.fixed(2, 100),
  })
  .then(charge)
  // The same, said after the step.
  .compensateWith(refund, { retry: RetryPolicy.fixed(5, 1000) })
  .thenFn("hotel", { uses: { agency: Agency } }, ({ guest, nights }, bus) =>
    bus.agency.hasRoom(nights) ? { guest, nights } : fault({ kind: "hotel-full", nights }),
  )
  .withSagaPolicy(SagaPolicy.enabled({ retry: RetryPolicy.fixed(2, 100) }));
