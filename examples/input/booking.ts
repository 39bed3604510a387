// A ferry line's desk: each extractor that reads no form, alone and together.

import {
  Axon,
  bytes,
  combine,
  cookie,
  Framework,
  header,
  json,
  path,
  query,
  type Static,
  Type,
  text,
} from "framework";
import type { ExtractedOf } from "framework/http";

const Crossing = Type.Object({ crossing: Type.String({ minLength: 1 }) });
const Page = Type.Object({
  page: Type.Integer({ minimum: 1, default: 1 }),
  days: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 7 }))),
});
const Passengers = Type.Object({ passengers: Type.Array(Type.String(), { minItems: 1, maxItems: 9 }) });

/** POST with an input schema and no extractor: the JSON body. */
const book = Axon.start("book", Passengers).thenFn("book", ({ passengers }) => ({
  seats: passengers.length,
}));

/** GET with an input schema and no extractor: path and query, merged, the path winning. */
const timetable = Axon.start("timetable", Type.Composite([Crossing, Page])).thenFn(
  "list",
  (wanted) => wanted,
);

/** Only the body's JSON decides. */
const rebook = Axon.start<Static<typeof Passengers>>("rebook").thenFn(
  "rebook",
  ({ passengers }) => passengers,
);

const Agent = Type.Object({ "x-agent": Type.String(), "x-desk": Type.Integer({ default: 1 }) });
const Session = Type.Object({ sid: Type.String({ minLength: 8 }) });

/** Several at once; at most one reads the body. */
const order = combine({
  at: path(Crossing),
  page: query(Page),
  agent: header(Agent),
  session: cookie(Session),
  booking: json(Passengers),
});
const desk = Axon.start<ExtractedOf<typeof order>>("desk").thenFn(
  "book",
  ({ at, agent, session, booking }) => ({
    ...at,
    desk: agent["x-desk"],
    session: session.sid,
    first: booking.passengers[0],
  }),
);

const shout = Axon.start<string>("shout").thenFn("shout", (message) => message.toUpperCase());
const weigh = Axon.start<Uint8Array>("weigh").thenFn("weigh", (cargo) => ({ bytes: cargo.length }));

export const ferryLine = () =>
  Framework.http()
    .post("/bookings", book)
    .get("/timetable/:crossing", timetable)
    .patch("/bookings", rebook, { input: json(Passengers) })
    .post("/desk/:crossing", desk, { input: order })
    .post("/announcements", shout, { input: text() })
    .post("/cargo", weigh, { input: bytes(), bodyLimit: 4096 });
