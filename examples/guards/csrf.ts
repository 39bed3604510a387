// A berth is booked by a form, under the cookie of whoever is logged in.

import { Axon, Framework, form, Type } from "framework";
import { CsrfGuard } from "framework/std";

const Booking = Type.Object({ ship: Type.String({ maxLength: 60 }) });

const book = Axon.start<{ ship: string }>("book").thenFn("book", ({ ship }) => `A berth for the ${ship}`);

export const berths = () =>
  Framework.http()
    .guard(new CsrfGuard({ trustedOrigins: ["https://partner.example"] }))
    .post("/bookings", book, { input: form(Booking) });
