// A bakery that counts what it sells and how long its oven makes customers wait, beside
// what the framework counts of it.

import { Axon, BearerAuth, Counter, Framework, Histogram, param } from "framework";

const sold = new Counter({
  name: "bakery_loaves_sold_total",
  help: "Loaves that were sold, by their kind.",
  labels: ["kind"],
});

const waited = new Histogram({
  name: "bakery_oven_wait_seconds",
  help: "How long an order waited for the oven.",
});

const KINDS = new Set(["rye", "wheat"]);

const bake = Axon.start("bake").thenFn("bake", { uses: { kind: param("kind") } }, async (_, bus) => {
  const began = performance.now();
  await new Promise(setImmediate);
  waited.record((performance.now() - began) / 1000);

  const { kind } = bus;
  // What a client sends is no label: of that there is no end.
  sold.add(1, { kind: KINDS.has(kind) ? kind : "other" });
  return { kind };
});

/** `token` lets who scrapes into the Inspector, which listens on `port`. */
export const bakery = (token: string, port = 3001) =>
  Framework.http()
    .post("/loaves/:kind", bake)
    .inspector({ auth: BearerAuth.tokens({ operator: token }), port, metrics: [sold, waited] });
