import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  branch,
  Framework,
  fault,
  HttpClient,
  layer,
  ProblemDetail,
  RetryPolicy,
  synapse,
  TraceContext,
} from "framework";
import { type HttpIngress, TestApp } from "framework/http";

import type { ReceivedSpan } from "../../support/otlp-spans.js";
import { named, requireCovered, treeOf } from "../../support/span-tree.js";
import { serving, traced } from "../../support/traced-server.js";

const silent = () => {};

/** The spans of one GET of an Axon. */
async function spansOf(axon: unknown, ingress: unknown = Framework.http({ reporter: silent })) {
  let all: readonly ReceivedSpan[] = [];
  await traced("", async ({ config, spans }) => {
    const routes = (ingress as HttpIngress<never, never>).config(config).get("/a", axon as never);
    await new TestApp(routes as HttpIngress<any, never>).get("/a");
    all = await spans();
  });
  requireCovered(all);
  return all;
}

const inner = Axon.start("inner")
  .thenFn("first", () => 1)
  .thenFn("second", async () => 2);

describe("the spans of a request's nodes", () => {
  test("stand in the subgraph, the layer and the step of several that they run in", async () => {
    const around = layer({ name: "around", run: (_, next) => next() });
    const axon = Axon.start("outer")
      .subgraph(inner)
      .parallel(
        [
          { name: "left", run: () => 1 },
          { name: "right", run: async () => 2 },
        ],
        "AllMustSucceed",
        (results) => results,
      )
      .thenFn("last", () => 3);
    const spans = await spansOf(axon, Framework.http({ reporter: silent }).layer(around));

    const [server] = Object.values(treeOf(spans));
    assert.deepEqual(Object.keys(server ?? {}), ["around"]);
    const line = server?.["around"] ?? {};
    assert.deepEqual(Object.values(line), [{ first: {}, second: {} }, { left: {}, right: {} }, {}]);
    assert.equal(Object.keys(line)[0], "inner");
    assert.equal(Object.keys(line)[2], "last");
  });

  test("stand in the branch that was taken, beside the step that has chosen it", async () => {
    const deep = Axon.start<number>("deep").thenFn("bow", () => 1);
    const vip = Axon.start<number>("vip")
      .then({ name: "rank", branches: ["royal"] as const, run: () => branch("royal", 1) })
      .branch("royal", deep)
      .thenFn("greet", () => 2);
    const axon = Axon.start("outer")
      .then({ name: "choose", branches: ["vip"] as const, run: () => branch("vip", 1) })
      .branch("vip", vip)
      .thenFn("last", () => 3);
    const spans = await spansOf(axon);

    assert.deepEqual(treeOf(spans), {
      "GET /a": {
        choose: {},
        "branch vip": { rank: {}, "branch royal": { bow: {} }, greet: {} },
        last: {},
      },
    });
    const { attributes } = named(spans, "branch royal");
    assert.deepEqual(
      [attributes["framework.branch"], attributes["framework.node.id"]],
      ["royal", "outer/choose:vip/rank"],
    );
  });

  test("have a span for each try where there is more than one, and the tries have what they run", async () => {
    let tries = 0;
    const shaky = Axon.start("shaky")
      .thenFn("prepare", () => 1)
      .thenFn("fail", () => {
        tries += 1;
        return tries < 3 ? fault({ code: "NOT_YET" }) : "done";
      });
    const axon = Axon.start("outer")
      .thenWithRetry(shaky.asTransition(), RetryPolicy.fixed(5, 1))
      .thenWithRetry({ name: "once", run: () => 1 }, RetryPolicy.fixed(5, 1));
    const spans = await spansOf(axon);

    const attempt = { prepare: {}, fail: {} };
    assert.deepEqual(treeOf(spans), {
      "GET /a": {
        shaky: { "attempt 1": attempt, "attempt 2": attempt, "attempt 3": attempt },
        once: {},
      },
    });
    const told = ["attempt 1", "attempt 2", "attempt 3"].map((name) => {
      const { attributes } = named(spans, name);
      return [attributes["framework.retry.attempt"], attributes["framework.node.outcome"]];
    });
    assert.deepEqual(told, [
      [1, "fault"],
      [2, "fault"],
      [3, "next"],
    ]);
    assert.equal(named(spans, "attempt 2").attributes["framework.fault.code"], "NOT_YET");
    assert.deepEqual(
      named(spans, "shaky").events.map(({ name, attributes }) => [
        name,
        attributes["framework.retry.attempt"],
      ]),
      [
        ["retry", 1],
        ["retry", 2],
      ],
    );
  });

  test("are those of errors from the step whose fault was answered to the outermost node around it", async () => {
    const failing = Axon.start("failing")
      .thenFn("fine", () => 1)
      .thenFn("fail", () => fault(new ProblemDetail({ status: 503, code: "NO", title: "no" })));
    const spans = await spansOf(Axon.start("outer").subgraph(failing));

    const failed = spans.filter(({ status }) => status === "ERROR").map(({ name }) => name);
    assert.deepEqual(failed.sort(), ["GET /a", "fail", "failing"]);
    assert.equal(named(spans, "GET /a").attributes["error.type"], "NO");
  });

  test("are ended with their request where nobody waits for them any more", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const axon = Axon.start("outer").subgraph(Axon.start("slow").thenFn("wait", () => held));
    await traced("server.route_timeout_ms = 20", async ({ config, spans }) => {
      const app = new TestApp(Framework.http({ reporter: silent }).config(config).get("/a", axon));
      assert.equal((await app.get("/a")).status, 504);

      const all = await spans();
      assert.deepEqual(treeOf(all), { "GET /a": { slow: { wait: {} } } });
      assert.equal(named(all, "wait").attributes["framework.node.outcome"], undefined);
      requireCovered(all);
      release();
    });
  });

  test("are 128 at most: what more there is is counted, and stands in nothing that is not sent", async () => {
    const many = Axon.start("many").parallel(
      Array.from({ length: 200 }, (_, i) => ({ name: `part ${i}`, run: () => i })),
      "AllMustSucceed",
      () => 1,
    );
    const spans = await spansOf(many);

    assert.equal(spans.filter(({ kind }) => kind === "INTERNAL").length, 128);
    assert.equal(named(spans, "GET /a").attributes["framework.nodes.dropped"], 73);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    assert.ok(spans.every(({ parentSpanId }) => parentSpanId === "" || ids.has(parentSpanId)));
  });

  test("are what calls of others stand in: strands of one step, tries, steps with a limit, each its own", async () => {
    const seen: string[] = [];
    const echo = Axon.start("echo").thenFn(
      "answer",
      (_, bus) => {
        seen.push(bus.get(TraceContext).parentSpanId ?? "");
        return 1;
      },
      { reads: [TraceContext] },
    );
    await serving(Framework.http().bind("127.0.0.1:0").get("/:who", echo).run(), async (url) => {
      const client = new HttpClient(url);
      const ask = (who: string, after?: () => unknown) =>
        synapse({
          name: who,
          reads: HttpClient.keys,
          call: async (_: unknown, bus) => {
            await new Promise(setImmediate);
            await client.json(bus, who);
            return after?.();
          },
          toFault: HttpClient.toFault,
        });
      let tries = 0;
      const shaky = ask("shaky", () => {
        tries += 1;
        if (tries < 2) throw new Error("not yet");
      });
      const axon = Axon.start("outer")
        .parallel([ask("left"), ask("right")], "AllMustSucceed", () => 1)
        .thenWithRetry(shaky, RetryPolicy.fixed(3, 0))
        .thenWithTimeout(ask("limited"), 10_000);
      await traced("", async ({ config, spans }) => {
        const app = new TestApp(Framework.http({ reporter: silent }).config(config).get("/a", axon));
        assert.equal((await app.get("/a")).status, 204);

        const all = await spans();
        requireCovered(all);
        const calls = all.filter(({ kind }) => kind === "CLIENT");
        const parents = calls.map(({ parentSpanId, attributes }) => [
          new URL(String(attributes["url.full"])).pathname,
          all.find(({ spanId }) => spanId === parentSpanId)?.name,
        ]);
        assert.deepEqual(parents.sort(), [
          ["/left", "left"],
          ["/limited", "limited"],
          ["/right", "right"],
          ["/shaky", "attempt 1"],
          ["/shaky", "attempt 2"],
        ]);
        assert.deepEqual(seen.sort(), calls.map(({ spanId }) => spanId).sort());
      });
    });
  });
});
