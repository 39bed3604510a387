// What comes in is checked before the first step; what goes out has a shape of its own.

import { Axon, Type } from "framework";

const Reservation = Type.Object({
  email: Type.String({ format: "email" }),
  seats: Type.Integer({ minimum: 1, maximum: 8 }),
});

const Confirmation = Type.Object({
  code: Type.String({ pattern: "^[A-Z]-[1-8]$" }),
  seats: Type.Integer(),
});

/** The input's type comes from the schema. */
export const reserve = Axon.start("reserve", Reservation)
  .thenFn("code", ({ email, seats }) => ({
    code: `${email.charAt(0).toUpperCase()}-${seats}`,
    seats,
    // Not in the schema, so it is in no answer of a server.
    email,
  }))
  .withOutputSchema(Confirmation, { check: "validate" });
