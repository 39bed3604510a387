// The Bus carries what steps share beside the line. Each step says which keys it touches,
// and can touch no others.

import { Axon, busKey, transition } from "framework";

/** Given from outside: nobody in the Axon writes it. */
const Season = busKey<"summer" | "winter">()("Season");
/** Written by a step, read by later ones. */
const Passengers = busKey<number>()("Passengers");
/** There on some runs only. */
const Discount = busKey<number>()("Discount");

const count = transition({
  name: "count",
  writes: [Passengers],
  run(names: readonly string[], bus) {
    bus.set(Passengers, names.length);
    return names;
  },
});

const group = transition({
  name: "group",
  reads: [Passengers],
  mayWrite: [Discount],
  run(names: readonly string[], bus) {
    if (bus.get(Passengers) >= 10) bus.set(Discount, 0.2);
    return names;
  },
});

const price = transition({
  name: "price",
  reads: [Passengers, Season],
  mayRead: [Discount],
  run(_: readonly string[], bus) {
    const each = bus.get(Season) === "summer" ? 1500 : 900;
    // What may be absent is found, and never got.
    return Math.round(bus.get(Passengers) * each * (1 - (bus.find(Discount) ?? 0)));
  },
});

/** Who sells the ticket has no business with how many travel on it. */
const close = transition({
  name: "close",
  deletes: [Passengers],
  run(cents: number, bus) {
    bus.delete(Passengers);
    return cents;
  },
});

export const groupFare = Axon.start<readonly string[]>("group-fare")
  .then(count)
  .then(group)
  .then(price)
  .then(close);
