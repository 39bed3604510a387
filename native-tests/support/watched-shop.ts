import { isDeepStrictEqual } from "node:util";

import { Axon, Framework, fault, guard, ProblemDetail, pass, text } from "framework";
import type { WatchedCircuit, WatchLevel } from "framework/core";
import { TestApp } from "framework/http";

import { Metrics } from "#telemetry/metrics/metrics.js";
import { readPrometheus } from "./prometheus-reader.js";

const closed = new ProblemDetail({ status: 503, code: "CLOSED", title: "Closed" });
const sober = new ProblemDetail({ status: 403, code: "SOBER", title: "Come back sober" });
const tooDear = new ProblemDetail({ status: 422, code: "TOO_DEAR", title: "Too dear" });

export const shop = Axon.start<string>("shop")
  .thenFn("price", (item) => (item === "gold" ? fault(tooDear) : item))
  .then(guard({ name: "sober", run: (input) => (input === "drunk" ? fault(sober) : pass(input)) }))
  .thenFn("pack", (item) => `a ${item}`);
/** Tells metrics of its circuits, which are watched so closely. */
export const watching = (metrics: Metrics, level: WatchLevel) => ({
  ...metrics.recorder,
  mounted: (circuit: WatchedCircuit) => {
    metrics.recorder.mounted(circuit);
    circuit.watch(level);
  },
});

/** An ingress that is watched so closely, on a clock that is moved by hand. */
export function watchedShop(level: WatchLevel) {
  const clock = { ms: 0 };
  const wallNow = () => 1_700_000_000_000 + clock.ms;
  const metrics = new Metrics({ now: () => clock.ms, wallNow, requestsInFlight: () => 2 });
  const doors = { open: true };
  const doorman = guard({
    name: "doorman",
    observer: { reads: [], answered: metrics.count },
    run: (input) => (doors.open ? pass(input) : fault(closed)),
  });
  const recorder = watching(metrics, level);
  const ingress = Framework.http({ recorder }).guard(doorman).post("/shop/:aisle", shop, { input: text() });
  const app = new TestApp(ingress);
  const second = (): void => {
    clock.ms += 1000;
    metrics.tick();
  };
  const buy = async (...items: readonly string[]) => {
    for (const item of items) await app.post("/shop/1", { body: item });
  };
  /** The value of a series, whose labels are all that are given. */
  const shown = (name: string, labels: Record<string, string> = {}): number | undefined =>
    readPrometheus(metrics.text())
      .flatMap(({ series }) => series)
      .find((one) => one.name === name && isDeepStrictEqual(one.labels, labels))?.value;
  return { app, metrics, second, doors, buy, shown };
}
