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
  sets: { passengers: Passengers },
  run(names: readonly string[], bus) {
    bus.passengers = names.length;
    return names;
  },
});

const group = transition({
  name: "group",
  uses: { passengers: Passengers },
  mayWrite: [Discount],
  run(names: readonly string[], bus) {
    if (bus.passengers >= 10) bus.set(Discount, 0.2);
    return names;
  },
});

const price = transition({
  name: "price",
  uses: { passengers: Passengers, season: Season },
  mayUse: { discount: Discount },
  run(_: readonly string[], { passengers, season, discount = 0 }) {
    const each = season === "summer" ? 1500 : 900;
    return Math.round(passengers * each * (1 - discount));
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
