// Whose doing a fault was: by the status that its request was answered with.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, fault, ProblemDetail, text } from "framework";
import type { TracedRun, WatchLevel } from "framework/core";
import { TestApp } from "framework/http";
import { RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { mergeSnapshots } from "#telemetry/metrics/metrics-snapshot.js";
import { nodeCounts } from "../../support/node-counts.js";
import { shop, watchedShop, watching } from "../../support/watched-shop.js";

const sold = new ProblemDetail({ status: 409, code: "SOLD", title: "Sold" });

/** One route, of which every other run fails as its input says. */
function sale(level: WatchLevel, timeoutMs = 30_000) {
  const clock = { ms: 0 };
  const metrics = new Metrics({ now: () => clock.ms });
  const axon = Axon.start<string>("sale").thenFn("sell", async (item) => {
    if (item === "sold") return fault(sold);
    if (item === "odd") return fault({ kind: "odd" as const });
    if (item === "broken") throw new Error("broken");
    if (item === "slow") await new Promise((resolve) => setTimeout(resolve, 10_000).unref());
    return item;
  });
  const recorder = watching(metrics, level);
  const ingress = Framework.http({ recorder, reporter: () => {} }).timeoutLayer(timeoutMs);
  const app = new TestApp(ingress.post("/sale", axon, { input: text() }));
  const sell = async (...items: readonly string[]) => {
    for (const body of items) await app.post("/sale", { body });
  };
  const figures = () => {
    clock.ms += 1000;
    metrics.tick();
    const [circuit] = metrics.report().circuits;
    const node = circuit?.nodes.find(({ node }) => node === "sale/sell");
    return [circuit, node].map((of) => {
      const window = of?.windows[2];
      return [window?.faults, window?.errors, window?.refused, window?.error_share];
    });
  };
  return { sell, figures, metrics };
}

describe("faults of traced runs", () => {
  test("are refusals where they were answered below 500, and errors where they were not", async () => {
    const { sell, figures } = sale({ kind: "all" });
    await sell("hat", "sold", "sold", "odd", "broken");

    assert.deepEqual(figures(), [
      [4, 2, 2, 2 / 5],
      [4, 2, 2, 2 / 5],
    ]);
  });

  test("are joined by runs that were given up, as errors", async () => {
    const { sell, figures } = sale({ kind: "all" }, 5);
    await sell("hat", "slow");

    assert.deepEqual(figures()[0], [0, 1, 0, 0.5]);
  });

  test("are refusals of each node that they left, and of the run once", async () => {
    const { buy, doors, second, metrics } = watchedShop({ kind: "all" });
    metrics.describe(shop.schematic());
    await buy("hat", "gold", "drunk");
    doors.open = false;
    await buy("hat");
    second();

    const [circuit] = metrics.report().circuits;
    const of = (windows: readonly { errors: number; refused: number }[] | undefined) =>
      [windows?.[2]].map((window) => [window?.errors, window?.refused])[0];
    const nodes = ["shop:guard/doorman", "shop/price", "shop/sober", "shop/pack"].map((id) =>
      of(circuit?.nodes.find(({ node }) => node === id)?.windows),
    );
    // The doorman answers 503: that is no caller's doing.
    assert.deepEqual(of(circuit?.windows), [1, 2]);
    assert.deepEqual(nodes, [
      [1, 0],
      [0, 1],
      [0, 1],
      [0, 0],
    ]);
    assert.deepEqual(
      circuit?.history.at(-1) && [circuit.history.at(-1)?.faults, circuit.history.at(-1)?.errors],
      [3, 1],
    );
  });

  test("are errors where no request waits for an answer, and where its client had gone", () => {
    const metrics = new Metrics({ now: () => 0 });
    const circuit = {
      ...{ name: "letters", version: "1", nodes: [{ id: "letters/read", label: "read" }], watch: () => {} },
      counts: nodeCounts(3, 3),
    };
    metrics.recorder.mounted(circuit);
    for (const status of [undefined, 0, 404]) {
      const timeline = { axon: "letters", version: "1", started_at: 0, events: [], dropped: 0 };
      const run = { circuit, timeline } as unknown as TracedRun;
      metrics.recorder.begun(run);
      metrics.recorder.ended(run, fault("bad"));
      if (status !== undefined) metrics.recorder.answered(run, { status, bytes: 0, duration_us: 1 });
    }
    metrics.tick();

    const window = metrics.report().circuits[0]?.windows[2];
    assert.deepEqual([window?.faults, window?.errors, window?.refused], [3, 2, 1]);
  });
});

describe("faults of runs that are not traced", () => {
  test("are shared out as those that are", async () => {
    const { sell, figures } = sale({ kind: "sampled", every: 3 });
    // Of each three one is traced, and these are alike.
    for (let n = 0; n < 4; n += 1) await sell("sold", "sold", "sold", "broken", "broken", "broken");

    assert.deepEqual(figures(), [
      [24, 12, 12, 0.5],
      [24, 12, 12, 0.5],
    ]);
  });

  test("are refusals of guards, and else errors, where none was traced", async () => {
    const { buy, doors, second, metrics } = watchedShop({ kind: "counted" });
    metrics.describe(shop.schematic());
    await buy("hat", "gold", "drunk");
    doors.open = false;
    await buy("hat");
    second();

    const window = metrics.report().circuits[0]?.windows[2];
    assert.deepEqual([window?.faults, window?.errors, window?.refused], [3, 1, 2]);
  });
});

describe("errors and refusals", () => {
  test("are told apart of runs that are answered in another order than they ended, also in another second", () => {
    const clock = { ms: 0 };
    const metrics = new Metrics({ now: () => clock.ms });
    const { mounted, begun, ended, answered } = metrics.recorder;
    const counts = nodeCounts(3, 3);
    const nodes = [{ id: "sale/sell", label: "sell" }];
    const circuit = { name: "sale", version: "1", nodes, counts, watch: () => {} };
    mounted(circuit);
    const runs = [1, 2, 3].map((id): TracedRun => {
      const timeline = new RecordedTimeline("sale", "1", 0);
      timeline.exit(timeline.enterNamed("sale/sell", 0), 1, "fault");
      return { circuit, id, runId: `${id}`, request: undefined, timeline, now_us: 1, abort: () => {} };
    });
    for (const run of runs) begun(run);
    for (const run of runs) ended(run, fault(sold));
    clock.ms += 1000;
    metrics.tick();
    for (const run of runs) answered(run, { status: 409, bytes: 0, duration_us: 1 });
    clock.ms += 1000;
    metrics.tick();

    const window = metrics.report().circuits[0]?.windows[2];
    assert.deepEqual([window?.errors, window?.refused], [0, 3]);
  });

  test("of several processes are added", async () => {
    const [one, other] = [sale({ kind: "all" }), sale({ kind: "all" })];
    await one.sell("sold", "broken");
    await other.sell("sold", "sold");
    one.figures();
    other.figures();
    const window = mergeSnapshots(one.metrics.snapshot(), other.metrics.snapshot()).circuits[0]?.windows[2];

    assert.deepEqual([window?.faults, window?.errors, window?.refused], [4, 1, 3]);
  });
});
