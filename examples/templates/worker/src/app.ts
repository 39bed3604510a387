// Forecasts that take long: a request begins one and gets the address of its result. Its run is kept
// in a database: if the process ends, the next one resumes it at the step that was not completed.

import { Axon, Framework, openStores, Stores, Type, workerModule, workerTransition } from "framework";

const Demand = Type.Object(
  {
    days: Type.Integer({ minimum: 1, maximum: 365 }),
    perDay: Type.Number({ minimum: 0.1, maximum: 100 }),
  },
  { $id: "Demand" },
);
const Advice = Type.Object({ mean: Type.Number(), order: Type.Integer() }, { $id: "Advice" });

const TRIALS = 100_000;
const SEED = 1;
/** Items in a box: an order is in whole boxes. */
const BOX = 12;

const work = workerModule<typeof import("./work.js")>(new URL("./work.js", import.meta.url));

const stockForecast = Axon.start("stock-forecast", Demand)
  .withPersistenceStore(Stores.mounted)
  .thenFn("plan", (demand) => ({ ...demand, trials: TRIALS, seed: SEED }))
  // In a thread, so that other requests do not wait.
  .offload(workerTransition({ name: "simulate", module: work, export: "forecast", timeoutMs: 60_000 }))
  .thenFn("advise", ({ mean, enough }) => ({ mean, order: BOX * Math.ceil(enough / BOX) }))
  .withOutputSchema(Advice);

/** The stores of main.ts are on disk, those of the tests in memory. */
export const ingress = (stores = openStores("memory:")) =>
  Framework.http()
    .stores(stores)
    .readinessLivenessDefault()
    // 202 at once, with the location of the status.
    .post("/forecasts", stockForecast, { detached: true })
    .runStatus("/forecasts/:run_id");
