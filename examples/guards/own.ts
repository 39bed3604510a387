// A guard of one's own that says all it can say: what it decides, and what the ingress does for it.

import { Axon, busKey, Framework, fault, guard, ProblemDetail, pass, writtenHeader } from "framework";

interface Tide {
  cm: number;
}
const Tide = busKey<Tide>()("Tide");

/** What the guard writes, and a header of the answer follows from. */
const Draught = busKey<number>()("Draught");

const tooLow = new ProblemDetail({ status: 503, code: "LOW_WATER", title: "The tide is out" });

const byTide = (told: (line: string) => void) =>
  guard({
    name: "by-tide",
    uses: { tide: Tide },
    mayWrite: [Draught],
    responses: [tooLow],
    responseHeaders: {
      always: { "cache-control": "no-store" },
      written: [writtenHeader(Draught, "x-draught", (cm) => `${cm} cm`)],
    },
    observer: {
      reads: [Draught],
      answered: ({ route, status, find }) => told(`${route} ${status} at ${find(Draught) ?? "no"} cm`),
    },
    bodyLimit: 1000,
    timeoutMs: 2000,
    run(input, bus) {
      const { cm } = bus.tide;
      if (cm < 150) return fault(tooLow);
      bus.set(Draught, cm - 30);
      return pass(input);
    },
  });

const enter = Axon.start("enter").thenFn(
  "enter",
  { mayUse: { draught: Draught } },
  (_, bus) => `Keep to ${bus.draught} cm`,
);

export const channel = (told: (line: string) => void) =>
  Framework.http({ resources: [Tide] })
    .guard(byTide(told))
    .get("/enter", enter);
