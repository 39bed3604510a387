// Orders behind guards: what the tests of an ingress's composition mount.

import { Axon, busKey, fault, guard, header, ProblemDetail, pass, Type } from "framework";

export const Who = busKey<string>()("Who");
export const closed = new ProblemDetail({ status: 403, code: "CLOSED", title: "Closed" });
export const denied = new ProblemDetail({ status: 401, code: "DENIED", title: "Denied" });
export const tick = () => new Promise((resolve) => setImmediate(resolve));

export const shut = (name: string) => guard({ name, run: () => fault(closed) });
/** Lets pass whoever says who it is, at once or after a while. */
export const named = (later = false) =>
  guard({
    name: "named",
    mayRead: [header("x-who")],
    writes: [Who],
    run(input, bus) {
      const who = bus.find(header("x-who"));
      if (who === undefined) return later ? tick().then(() => fault(denied)) : fault(denied);
      bus.set(Who, who);
      return later ? tick().then(() => pass(input)) : pass(input);
    },
  });
export const Order = Type.Object({ id: Type.String() });
export const order = Axon.start("order", Order).thenFn(
  "show",
  ({ id }, bus) => `${id} of ${bus.find(Who) ?? "nobody"}`,
  {
    mayRead: [Who],
  },
);
export const hello = Axon.start("hello").thenFn("hello", () => "hello");
