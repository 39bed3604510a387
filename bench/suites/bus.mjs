import { microSuite } from "../measure/micro.mjs";

// The real Bus through the public API: an Axon of two steps, run whole, because a
// step may only read what an earlier one wrote. The executor's share (about two
// nanoseconds) counts against ours; the other arms are the bare function. Nothing
// is subtracted: a difference of two noisy figures would say less than an upper bound.

export default microSuite(import.meta.url, {
  name: "bus",
  title: "Bus: 3 sets, 5 gets, reset",
  measures:
    "three values set and five read, then all forgotten. Ours: a whole run of an Axon whose first step sets and whose second gets, so the executor's share is in the figure. The others: a function that does it on one object, or one Map, and resets that. Bytes a run.",
  leavesOut:
    "values made at first read, keys of other circuits, a Bus object for each run (as on an ingress), development's checks.",
  weighs: true,
  inputs: () => Array.from({ length: 64 }, (_, i) => i),
  score: (sum) => sum,
  arms: [
    {
      name: "fixed-shape object",
      prepare() {
        const bus = { user: undefined, subtotal: undefined, tax: undefined };
        return (n) => {
          bus.subtotal = n;
          bus.tax = n & 7;
          bus.user = 3;
          const sum = bus.subtotal + bus.tax + bus.user + bus.subtotal + bus.tax;
          bus.user = undefined;
          bus.subtotal = undefined;
          bus.tax = undefined;
          return sum;
        };
      },
    },
    {
      name: "ours",
      ours: true,
      async prepare() {
        const { Axon, busKey } = await import("../../dist/index.js");
        const User = busKey()("User");
        const Subtotal = busKey()("Subtotal");
        const Tax = busKey()("Tax");
        const keys = [User, Subtotal, Tax];
        const axon = Axon.start("bus")
          .then({
            name: "set",
            writes: keys,
            run(n, bus) {
              bus.set(Subtotal, n);
              bus.set(Tax, n & 7);
              bus.set(User, 3);
              return n;
            },
          })
          .then({
            name: "get",
            reads: keys,
            run: (_, bus) =>
              bus.get(Subtotal) + bus.get(Tax) + bus.get(User) + bus.get(Subtotal) + bus.get(Tax),
          });
        return (n) => axon.execute(n);
      },
    },
    {
      name: "Map",
      prepare() {
        const bus = new Map();
        return (n) => {
          bus.set("subtotal", n);
          bus.set("tax", n & 7);
          bus.set("user", 3);
          const sum =
            bus.get("subtotal") + bus.get("tax") + bus.get("user") + bus.get("subtotal") + bus.get("tax");
          bus.clear();
          return sum;
        };
      },
    },
  ],
  bars: [
    { arm: "ours", of: "figure", atMost: 10, aim: 7 },
    { arm: "ours", of: "bytes", atMost: 0 },
  ],
});
