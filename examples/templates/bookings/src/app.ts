// The API of the clinic.

import { Axon, Framework, Type } from "framework";

import { Agenda } from "./agenda.js";
import { book } from "./booking.js";
import { Payments } from "./payments.js";

const Day = Type.Object({ doctor: Type.String({ maxLength: 80 }), day: Type.String({ format: "date" }) });
const Appointment = Type.Object(
  { doctor: Type.String(), day: Type.String(), time: Type.String(), patient: Type.String() },
  { $id: "Appointment" },
);

/** An Axon with an input schema takes the path and the query of a GET. */
const appointments = Axon.start("appointments", Day)
  .thenFn("list", { uses: { agenda: Agenda } }, ({ doctor, day }, bus) => bus.agenda.list(doctor, day))
  .withOutputSchema(Type.Array(Appointment));

export const ingress = () =>
  Framework.http({ resources: [Agenda, Payments] })
    .readinessLivenessDefault()
    .post("/bookings", book)
    .get("/doctors/:doctor/days/:day", appointments)
    .openapi("/openapi.json", { info: { title: "Bookings of a clinic", version: "1.0.0" } });
