// Runs that go on from another one, and the traces of both.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { context, createContextKey } from "@opentelemetry/api";

import {
  Axon,
  Bus,
  Framework,
  fault,
  isFault,
  layer,
  MemoryDeadLetters,
  MemoryRuns,
  ProblemDetail,
  redrive,
} from "framework";
import type { DeadLetter } from "framework/core";
import { TestApp } from "framework/http";
import { DeadLetters } from "#inspector/dead-letters/dead-letters.js";
import { KeptRuns } from "#inspector/runs/kept-runs.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { PayloadCapture } from "#inspector/traces/payload-capture.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";

import { keepingContexts } from "../../support/context-manager.js";
import { never, taken } from "../../support/kept-runs.js";
import { until } from "../../support/patience.js";
import { named, requireCovered, treeOf } from "../../support/span-tree.js";
import { done } from "../../support/steered-circuit.js";
import { traced } from "../../support/traced-server.js";

const silent = () => {};
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

/** What an Inspector knows of the runs that an Axon keeps. */
const keptRunsOf = ({ definition }: AnyAxon): KeptRuns =>
  new KeptRuns({
    axons: [definition],
    resources: Bus.of([]),
    nodes: new DrawnNodes(() => []),
    capture: new PayloadCapture("off"),
    reporter: silent,
  });

/** A shop whose bank is down until told otherwise. */
function shop() {
  const bank = { isUp: false };
  const letters = new MemoryDeadLetters();
  const down = () => fault(new ProblemDetail({ status: 502, code: "BANK_DOWN", title: "Down" }));
  const axon = Axon.start("shop")
    .thenFn("price", () => 1)
    .thenFn("pay", async (n) => (bank.isUp ? n : down()))
    .thenFn("ship", (n) => ({ shipped: n }))
    .withDlqSink(letters);
  return { bank, letters, axon };
}

const only = (letters: MemoryDeadLetters): DeadLetter => {
  const [letter, ...more] = letters.list();
  assert.ok(letter !== undefined && more.length === 0);
  return letter;
};

describe("a dead letter that is done again", () => {
  test("leaves a trace with a link to the run that failed, each time to the last one", async () => {
    const { bank, letters, axon } = shop();
    await traced("telemetry.sample_ratio = 0", async ({ config, spans }) => {
      const app = new TestApp(Framework.http({ reporter: silent }).config(config).get("/buy", axon));
      await app.get("/buy", { headers: { traceparent } });
      const { id, trace } = only(letters);
      const again = await redrive(letters, id, axon);
      const failedAgain = only(letters).trace;
      bank.isUp = true;
      const done = await redrive(letters, id, axon);

      const all = await spans();
      const request = named(all, "GET /buy");
      const [first, second] = all.filter(({ name }) => name === "redrive shop");
      assert.ok(first !== undefined && second !== undefined);
      assert.deepEqual(trace, { trace_id: traceId, span_id: request.spanId });
      assert.deepEqual(first.links, [{ traceId, spanId: request.spanId }]);
      assert.deepEqual(failedAgain, { trace_id: first.traceId, span_id: first.spanId });
      assert.ok(again.kind === "failed" && done.kind === "done");
      assert.deepEqual(again.trace, failedAgain);
      assert.deepEqual(done.trace, { trace_id: second.traceId, span_id: second.spanId });
      assert.deepEqual(second.links, [{ traceId: first.traceId, spanId: first.spanId }]);
      assert.equal(new Set([traceId, first.traceId, second.traceId]).size, 3);
      assert.deepEqual([first.kind, first.status, second.status], ["INTERNAL", "ERROR", "UNSET"]);
      assert.equal(first.attributes["error.type"], "BANK_DOWN");
      const own = all.filter((span) => span.traceId === second.traceId);
      requireCovered(own);
      assert.deepEqual(treeOf(own), { "redrive shop": { pay: {}, ship: {} } });
      assert.equal(second.attributes["framework.circuit"], "shop");
    });
  });

  test("is shown by the Inspector with the trace of its newest run, and so is what came of it", async () => {
    const { bank, letters, axon } = shop();
    await traced("telemetry.sample_ratio = 0", async ({ config, spans }) => {
      const app = new TestApp(Framework.http({ reporter: silent }).config(config).get("/buy", axon));
      await app.get("/buy", { headers: { traceparent } });
      const shown = new DeadLetters({ stores: [letters], axons: [axon.definition] });
      const row = async () => done(await shown.list({}))[0];
      const before = await row();
      const failed = done(await shown.redrive(only(letters).id));
      const after = await row();
      bank.isUp = true;
      const succeeded = done(await shown.redrive(only(letters).id));

      const runs = (await spans()).filter(({ name }) => name === "redrive shop");
      const [first, second] = runs.map((span) => span.traceId);
      assert.deepEqual([before?.trace_id, after?.trace_id], [traceId, first]);
      assert.deepEqual([failed.result, failed.trace_id], ["failed", first]);
      assert.deepEqual([succeeded.result, succeeded.trace_id], ["done", second]);
    });
  });

  test("knows the trace of its last run where its store is not where the Axon sends what fails", async () => {
    const { letters, axon } = shop();
    await traced("telemetry.sample_ratio = 0", async ({ config }) => {
      const app = new TestApp(Framework.http({ reporter: silent }).config(config).get("/buy", axon));
      await app.get("/buy", { headers: { traceparent } });
      const moved = new MemoryDeadLetters();
      moved.send(only(letters));
      const again = await redrive(moved, only(letters).id, axon);

      assert.ok(again.kind === "failed" && again.trace !== undefined);
      assert.notEqual(again.trace.trace_id, traceId);
      assert.deepEqual(only(moved).trace, again.trace);
    });
  });

  test("is linked to its run where a compensation failed", async () => {
    const world = { fails: true };
    const letters = new MemoryDeadLetters();
    const undo = () => (world.fails ? fault("not undone") : 1);
    const axon = Axon.start("saga")
      .thenCompensated({ name: "book", run: () => 1 }, undo)
      .thenFn("fail", () => fault(new ProblemDetail({ status: 500, code: "NO", title: "No" })))
      .withDlqSink(letters);
    await traced("", async ({ config, spans }) => {
      const app = new TestApp(Framework.http({ reporter: silent }).config(config).get("/book", axon));
      await app.get("/book", { headers: { traceparent } });
      world.fails = false;
      const letter = letters.list().find(({ kind }) => kind === "compensation");
      await redrive(letters, letter?.id ?? "", axon);

      const all = await spans();
      const { spanId } = named(all, "GET /book");
      assert.deepEqual(named(all, "redrive saga").links, [{ traceId, spanId }]);
    });
  });

  test("has no link where its run left no trace, or where what the store says is none", async () => {
    const { letters, axon } = shop();
    await axon.execute(undefined as never);
    const { trace, ...letter } = only(letters);
    assert.equal(trace, undefined);
    const kept = async (toml: string, mark: unknown): Promise<unknown> => {
      letters.send({ ...letter, ...(mark !== undefined && { trace: mark }) } as never);
      let links: unknown;
      await traced(toml, async ({ spans, config }) => {
        Framework.http().config(config);
        await redrive(letters, letter.id, axon);
        links = (await spans()).find(({ name }) => name === "redrive shop")?.links;
      });
      return links;
    };

    assert.deepEqual(await kept("", undefined), []);
    assert.equal(await kept("telemetry.sample_ratio = 0", undefined), undefined);
    for (const mark of [null, 7, {}, { trace_id: "no", span_id: "no" }, { trace_id: "0".repeat(32) }])
      assert.deepEqual(await kept("", mark), [], JSON.stringify(mark));
  });
});

test("what its caller has made active is there in it, whether or not it leaves a trace", async () => {
  const key = createContextKey("tenant");
  for (const ratio of [0, 1])
    await keepingContexts(() =>
      traced(`telemetry.sample_ratio = ${ratio}`, async ({ config }) => {
        Framework.http().config(config);
        const letters = new MemoryDeadLetters();
        let seen: unknown;
        const axon = Axon.start("shop")
          .thenFn("pay", () => {
            seen = context.active().getValue(key);
            return seen === undefined ? fault("no tenant") : 1;
          })
          .withDlqSink(letters);
        await axon.execute(undefined as never);
        await context.with(context.active().setValue(key, 7), () => redrive(letters, only(letters).id, axon));

        assert.equal(seen, 7, `sample_ratio ${ratio}`);
      }),
    );
});

describe("a kept run that is resumed", () => {
  const stopping = () => {
    const runs = new MemoryRuns();
    const world = { hangs: true };
    const axon = Axon.start("order")
      .thenFn("price", () => 1)
      .thenFn("pay", (n) => (world.hangs ? never() : n + 1) as number)
      .thenFn("ship", (n) => ({ shipped: n }))
      .withPersistenceStore(runs);
    return { runs, world, axon };
  };
  /** A request whose run stops in its second step; answers the run's id. */
  const stopped = async (app: TestApp<never>, runs: MemoryRuns): Promise<string> => {
    void app.get("/order", { headers: { traceparent } }).catch(() => {});
    let id = "";
    await until("the run is at its second step", () => {
      id = runs.unfinished()[0]?.id ?? "";
      return runs.read(id).length === 2;
    });
    return id;
  };

  test("leaves a trace with a link to the run that it goes on from", async () => {
    const { runs, world, axon } = stopping();
    await traced("telemetry.sample_ratio = 0", async ({ config, spans }) => {
      // Its line runs inside the layer.
      const around = layer({ name: "around", run: (_, next) => next() });
      const ingress = Framework.http({ reporter: silent }).config(config).layer(around).get("/order", axon);
      const app = new TestApp(ingress);
      const id = await stopped(app as never, runs);
      const [begun] = runs.read(id);
      const first = taken(axon, id);
      await until("it is at that step again", () => runs.read(id).length === 3);
      const resumed = runs.read(id)[2];
      assert.ok(resumed?.kind === "resumed");
      const [listed] = await keptRunsOf(axon).unfinished({});
      assert.deepEqual([listed?.run_id, listed?.trace_id], [id, resumed.trace?.trace_id]);
      world.hangs = false;
      assert.deepEqual(await taken(axon, id), { shipped: 2 });
      void first;

      const all = await spans();
      // The request and the first that went on hang still: theirs are not there.
      const [last, ...more] = all.filter(({ name }) => name === "resume order");
      assert.ok(last !== undefined && more.length === 0);
      assert.ok(begun?.kind === "begun");
      assert.equal(begun.trace?.trace_id, traceId);
      assert.notEqual(resumed.trace?.trace_id, traceId);
      const shown = done(await keptRunsOf(axon).show(id));
      assert.equal(shown.trace_id, last.traceId);
      assert.deepEqual(last.links, [{ traceId: resumed.trace?.trace_id, spanId: resumed.trace?.span_id }]);
      const own = all.filter((span) => span.traceId === last.traceId);
      assert.deepEqual(treeOf(own), { "resume order": { pay: {}, ship: {} } });
    });
  });

  /** A run that stopped in its second step, of no trace, and its log with one. */
  const stoppedUntraced = async () => {
    const { runs, world, axon } = stopping();
    void axon.execute(undefined as never);
    await until("the run is at its second step", () => runs.unfinished().length === 1);
    world.hangs = false;
    const id = runs.unfinished()[0]?.id ?? "";
    const read = runs.read.bind(runs);
    const mark = (trace: unknown): void => {
      Object.assign(runs, { read: (run: string) => read(run).map((entry) => ({ ...entry, trace })) });
    };
    return { runs, axon, id, mark };
  };

  test("goes on whatever its log has for a trace", async () => {
    for (const trace of [null, 7, "no", { trace_id: "x" }]) {
      const { axon, id, mark } = await stoppedUntraced();
      mark(trace);
      assert.deepEqual(await taken(axon, id), { shipped: 2 }, JSON.stringify(trace));
    }
  });

  test("has its trace ended where another has taken it", async () => {
    const { runs, axon, id, mark } = await stoppedUntraced();
    mark({ trace_id: traceId, span_id: "00f067aa0ba902b7" });
    Object.assign(runs, { append: () => false });
    await traced("", async ({ config, spans }) => {
      Framework.http().config(config);
      assert.ok(isFault(await taken(axon, id)));

      const { status, links } = named(await spans(), "resume order");
      assert.equal(status, "ERROR");
      assert.deepEqual(links, [{ traceId, spanId: "00f067aa0ba902b7" }]);
    });
  });

  test("goes on from what was kept without a trace", async () => {
    const { runs, world, axon } = stopping();
    void axon.execute(undefined as never);
    await until("the run is at its second step", () => runs.unfinished().length === 1);
    const id = runs.unfinished()[0]?.id ?? "";
    assert.ok(!("trace" in (runs.read(id)[0] ?? {})));
    world.hangs = false;
    await traced("", async ({ config, spans }) => {
      Framework.http().config(config);
      assert.deepEqual(await taken(axon, id), { shipped: 2 });

      assert.deepEqual(named(await spans(), "resume order").links, []);
    });
  });
});
