// A resource is a Bus key whose value lives as long as the server: a pool, a client, a table.

import { Axon, busKey, Framework, fault, ProblemDetail, param } from "framework";

export interface Timetable {
  next(harbour: string): Promise<string | undefined>;
}

export const Timetable = busKey<Timetable>()("Timetable");

const Harbour = param("harbour");
const noSailing = new ProblemDetail({ status: 404, code: "NO_SAILING", title: "No ferry leaves there" });

export const nextSailing = Axon.start("next-sailing").thenFn(
  "look up",
  { uses: { timetable: Timetable, harbour: Harbour }, responses: [noSailing] },
  async (_, bus) => {
    const at = await bus.timetable.next(bus.harbour);
    if (at !== undefined) return { at };
    return fault(noSailing);
  },
);

/** Without `Timetable` in the list this does not compile; the value itself comes with `run`. */
export const departures = () =>
  Framework.http({ resources: [Timetable] }).get("/harbours/:harbour/next", nextSailing);
