// A booking: the slot is reserved, then the deposit is charged. If it cannot be charged, the slot is
// released. If the slot cannot be released, a dead letter is left for the clinic.

import {
  Axon,
  DlqPolicy,
  type Done,
  fault,
  MemoryDeadLetters,
  ProblemDetail,
  RetryPolicy,
  type Static,
  Type,
  transition,
} from "framework";

import { Agenda } from "./agenda.js";
import { Payments } from "./payments.js";

const DEPOSIT_CENTS = 2000;

const Booking = Type.Object(
  {
    doctor: Type.String({ minLength: 1, maxLength: 80 }),
    day: Type.String({ format: "date" }),
    time: Type.String({ pattern: "^(0[89]|1[0-7]):(00|30)$", description: "Each half hour from 08:00" }),
    patient: Type.String({ minLength: 1, maxLength: 80 }),
    card: Type.String({ pattern: "^[0-9]{8,19}$" }),
  },
  { $id: "Booking" },
);
type Booking = Static<typeof Booking>;

const Booked = Type.Omit(Booking, ["card"], { $id: "Booked" });

const taken = new ProblemDetail({ status: 409, code: "SLOT_TAKEN", title: "The slot is taken" });
const declined = new ProblemDetail({ status: 402, code: "CARD_DECLINED", title: "The card was declined" });
const busy = new ProblemDetail({ status: 503, code: "PAYMENTS_BUSY", title: "Payments are busy: try again" });

const reserve = transition({
  name: "reserve",
  uses: { agenda: Agenda },
  responses: [taken],
  async run(booking: Booking, bus) {
    const isReserved = await bus.agenda.reserve(booking, booking.patient);
    return isReserved ? booking : fault(taken);
  },
});

const release = transition({
  name: "release",
  uses: { agenda: Agenda },
  run: ({ input }: Done<Booking, Booking>, bus) => bus.agenda.release(input),
});

const charge = transition({
  name: "charge",
  uses: { payments: Payments },
  responses: [declined, busy],
  async run({ card, ...booked }: Booking, bus) {
    const result = await bus.payments.charge(card, DEPOSIT_CENTS);
    if (result === "charged") return booked;
    return fault(result === "declined" ? declined : busy);
  },
});

/** The Inspector shows them, and tries them again. `openStores(url).deadLetters` keeps them in a database. */
export const letters = new MemoryDeadLetters({ maxLetters: 1000 });

export const book = Axon.start("book", Booking)
  .thenCompensated(reserve, release, { retry: RetryPolicy.fixed(2, 100) })
  .thenWithRetry(
    charge,
    RetryPolicy.exponential(3, 200, 2, 2000).retryIf((error) => error === busy),
  )
  .withDlqSink(letters)
  // The client knows what was refused. A slot that could not be released leaves a letter in any case.
  .withDlqPolicy(DlqPolicy.send().sendIf(() => false))
  .withOutputSchema(Booked);
