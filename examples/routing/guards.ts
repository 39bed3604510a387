// Guards decide before a request's input is read. What one writes, the steps behind it read.

import { Axon, busKey, Framework, fault, guard, header, ProblemDetail, pass } from "framework";

const Skipper = busKey<string>()("Skipper");

const unknownSkipper = new ProblemDetail({
  status: 401,
  code: "SKIPPER_UNKNOWN",
  title: "Say who you are",
  detail: "Send your call sign in X-Call-Sign",
});

/** In front of every route, and before a path is said to be unknown. */
const knownSkipper = guard({
  name: "known-skipper",
  mayUse: { callSign: header("x-call-sign") },
  sets: { skipper: Skipper },
  responses: [unknownSkipper],
  run(input, bus) {
    const sign = bus.callSign;
    if (sign === undefined) return fault(unknownSkipper);
    bus.skipper = sign;
    return pass(input);
  },
});

const harbourFull = new ProblemDetail({ status: 409, code: "HARBOUR_FULL", title: "No berth is free" });

export function harbour(freeBerths: number) {
  const berthsLeft = guard({
    name: "berths-left",
    responses: [harbourFull],
    run: (input) => (freeBerths > 0 ? pass(input) : fault(harbourFull)),
  });
  const enter = Axon.start("enter").thenFn(
    "enter",
    { uses: { skipper: Skipper } },
    (_, bus) => `Welcome, ${bus.skipper}`,
  );
  const tides = Axon.start("tides").thenFn("tides", () => ["06:12", "18:40"]);

  return Framework.http()
    .guard(knownSkipper)
    .post("/berths", enter, { guards: [berthsLeft], summary: "Takes a berth" })
    .get("/tides", tides, { without: ["known-skipper"] });
}
