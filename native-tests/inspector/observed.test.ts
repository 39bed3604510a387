import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Axon, Bus, Framework, openStores } from "framework";
import type { ExtensionHost } from "#http/plan/extension.js";
import { Inspection } from "#inspector/inspection.js";
import { Observed } from "#inspector/observed.js";
import { MergedMetrics } from "#inspector/peers/merged-metrics.js";
import { resolvedSettings } from "#inspector/settings.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { NO_OPERATORS } from "../support/no-operators.js";

const EVERY_MS = 100;

function observed() {
  const ingress = Framework.http().get(
    "/hello",
    Axon.start("hello").thenFn("greet", () => "hello"),
  );
  const options = { enabled: true, metricsIntervalMs: EVERY_MS };
  const settings = resolvedSettings({ options, config: undefined }, false);
  const observing = new Observed(ingress.routes(), settings, { production: false }, NO_OPERATORS);
  return { observing, begin: (number: number) => new Inspection(observing, hostOf(number), settings) };
}

/** A service of two workers, of which the other says nothing. */
const hostOf = (number: number): ExtensionHost => ({
  production: false,
  reporter: () => {},
  log: { read: () => () => {} } as never,
  ...{ routes: [], circuits: [], axons: [], deadLetters: [] },
  resources: Bus.of([]),
  runHost: undefined,
  worker: { number, count: 2, host: "127.0.0.1", port: 1 },
  crashes: () => undefined,
  inMemory: false,
  entryAt: () => ({ kind: "refused", reason: "no route" }),
  load: () => ({ requests: 0, runs: 0, connections: 0, webSockets: 0 }),
  send: () => assert.fail(),
});

const client = { send: () => "sent" as const, close: () => {}, bufferedAmount: 0, isOpen: true };

test("what an Inspector observes looks after no run once it has stopped", async (t) => {
  const { observing, begin } = observed();
  const close = t.mock.method(observing.stalls, "close");

  begin(1).stop();

  assert.equal(close.mock.callCount(), 1);
});

test("what an Inspector observes has the failures of its server's stores", () => {
  const stores = { ...openStores("memory:"), failures: () => new Map([["rates", 2]]) };
  const settings = resolvedSettings({ options: { enabled: true }, config: undefined }, false);
  const { metrics } = new Observed(
    [],
    settings,
    { production: false, stores: stores as never },
    NO_OPERATORS,
  );

  assert.match(metrics.text(), /^framework_store_failures_total\{use="rates"\} 2$/m);
});

/** Has each timer fire at once, and notes of each whether the process waits for it. */
function timersOf(t: TestContext) {
  const waits: string[] = [];
  const made = { count: 0 };
  const note = (timer: NodeJS.Timeout, stack = new Error().stack ?? ""): NodeJS.Timeout => {
    made.count += 1;
    // Whoever made it lets go of it in the same turn.
    queueMicrotask(() => {
      if (timer.hasRef()) waits.push(stack);
    });
    return timer;
  };
  const { setTimeout: later, setInterval: often } = globalThis;
  // The process waits for the test.
  const running = often(() => {}, 1000);
  t.after(() => clearInterval(running));
  t.mock.method(globalThis, "setTimeout", (then: () => void) => note(later(then, 0)));
  t.mock.method(globalThis, "setInterval", (then: () => void, ms: number) => note(often(then, ms)));
  return { waits, made };
}

/** It waits until enough was made. */
const LIMITED = { timeout: 30_000 };
for (const number of [1, 2])
  test(`what is observed in worker ${number} keeps no process from its end`, LIMITED, async (t) => {
    const { waits, made } = timersOf(t);
    const { observing, begin } = observed();
    const inspection = begin(number);
    observing.feed.join(client, "operator");
    observing.stalls.begun({ id: 1, now_us: 0 } as never);
    await inspection.steering.begin();
    // Those that each turn makes anew are looked at too.
    while (made.count <= 10) await setImmediate();
    observing.stalls.ended({ id: 1 } as never);
    inspection.stop();

    assert.deepEqual(waits, []);
  });

test("the figures of all workers are asked for once at a time, and again after an answer or a failure", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const answers: { resolve: (report: unknown) => void; reject: (error: Error) => void }[] = [];
  t.mock.method(
    MergedMetrics.prototype,
    "snapshot",
    () => new Promise((resolve, reject) => answers.push({ resolve, reject })),
  );
  const { observing, begin } = observed();
  const inspection = begin(1);
  const passes = async (intervals: number): Promise<number> => {
    for (let n = 0; n < intervals; n += 1) t.mock.timers.tick(EVERY_MS);
    await setImmediate();
    return answers.length;
  };
  assert.equal(await passes(3), 0, "nobody listens");
  observing.feed.join(client, "operator");
  assert.equal(await passes(5), 1);
  const told = observing.feed.seq;
  answers[0]?.resolve(new Metrics().report());
  assert.equal(await passes(0), 1);
  assert.equal(observing.feed.seq, told + 1);
  assert.equal(await passes(5), 2);
  answers[1]?.reject(new Error("no figures"));
  await passes(0);

  assert.equal(await passes(5), 3);
  inspection.stop();
});
