import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  Axon,
  ClientIp,
  Framework,
  fault,
  guard,
  ProblemDetail,
  param,
  pass,
  RetryPolicy,
  TraceContext,
} from "framework";
import type { Recorder, TracedRun } from "framework/core";
import { TestApp } from "framework/http";

import { parseTraceparent } from "#telemetry/tracing/traceparent.js";
import type { ReceivedSpan } from "../../support/otlp-spans.js";
import { until } from "../../support/patience.js";
import { serving, traced } from "../../support/traced-server.js";
import { talk } from "../../support/wire.js";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = "00f067aa0ba902b7";
const silent = () => {};

const hello = Axon.start("hello")
  .thenFn("think", () => 1)
  .thenFn("greet", () => ({ hello: "you" }));

const place = Axon.start("place").thenFn("tell", (_, bus) => ({ ...bus.get(TraceContext) }), {
  reads: [TraceContext],
});

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan =>
  spans.find((span) => span.name === name) ??
  assert.fail(`No '${name}' among ${spans.map((span) => span.name).join(", ")}`);

describe("the trace of a request", () => {
  test("has one span of the server, with what the conventions of HTTP say", async () => {
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http().bind("127.0.0.1:0").config(config).get("/orders/:id", hello);
      await serving(ingress.run(), async (url) => {
        await fetch(`${url}/orders/7?token=hunter22`, {
          headers: { "user-agent": "tests/1", authorization: "Bearer hunter22", cookie: "sid=hunter22" },
        });

        const all = await spans();
        const server = named(all, "GET /orders/:id");
        const { port } = new URL(url);
        assert.deepEqual(server.attributes, {
          "http.request.method": "GET",
          "url.scheme": "http",
          "server.address": "127.0.0.1",
          "server.port": Number(port),
          "user_agent.original": "tests/1",
          "url.path": "/orders/7",
          "http.route": "/orders/:id",
          "http.response.status_code": 200,
          "framework.circuit": "hello",
        });
        assert.deepEqual(
          [server.kind, server.status, server.parentSpanId, server.scope],
          ["SERVER", "UNSET", "", "framework"],
        );
        assert.doesNotMatch(
          JSON.stringify(all, (_, v) => (typeof v === "bigint" ? String(v) : v)),
          /hunter22/,
        );
      });
    });
  });

  test("has a span for each node, within the server's, in the order in which they ran", async () => {
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http().config(config).get("/a", hello);
      const before = BigInt(Date.now()) * 1_000_000n;
      await new TestApp(ingress).get("/a");

      const all = await spans();
      const server = named(all, "GET /a");
      const nodes = all.filter(({ kind }) => kind === "INTERNAL");
      assert.deepEqual(
        nodes.map(({ name, traceId, parentSpanId }) => [name, traceId, parentSpanId]),
        [
          ["think", server.traceId, server.spanId],
          ["greet", server.traceId, server.spanId],
        ],
      );
      assert.deepEqual(nodes[0]?.attributes, {
        "framework.circuit": "hello",
        "framework.node.id": nodes[0]?.attributes["framework.node.id"],
        "framework.node.outcome": "next",
      });
      assert.match(String(nodes[0]?.attributes["framework.node.id"]), /think/);
      const [think, greet] = nodes as [ReceivedSpan, ReceivedSpan];
      assert.ok(think.startedAt <= think.endedAt && think.endedAt <= greet.endedAt);
      // Of the run whole microseconds are told.
      const slack = 2_000n;
      assert.ok(server.startedAt <= think.startedAt + slack && greet.endedAt <= server.endedAt + slack);
      const after = BigInt(Date.now()) * 1_000_000n;
      const apart = 5_000_000n;
      assert.ok(server.startedAt >= before - apart && server.endedAt <= after + apart);
    });
  });

  test("continues what its caller has begun, and is what a step reads", async () => {
    await traced("telemetry.sample_ratio = 0", async ({ config, spans }) => {
      const app = new TestApp(Framework.http().config(config).get("/place", place));
      const { json } = await app.get("/place", {
        headers: { traceparent: `00-${trace}-${parent}-01`, tracestate: "a=b" },
      });

      const server = named(await spans(), "GET /place");
      assert.deepEqual([server.traceId, server.parentSpanId, server.traceState], [trace, parent, "a=b"]);
      assert.deepEqual(json, {
        traceId: trace,
        spanId: named(await spans(), "tell").spanId,
        parentSpanId: parent,
        sampled: true,
        random: false,
        traceState: "a=b",
      });
    });
  });

  test("is not kept where its caller keeps none, or its own ratio says so", async () => {
    await traced("telemetry.sample_ratio = 0", async ({ config, spans }) => {
      const app = new TestApp(Framework.http().config(config).get("/place", place));
      const { json } = await app.get("/place");
      assert.equal((json as TraceContext).sampled, false);
      await app.get("/place", { headers: { traceparent: `00-${trace}-${parent}-00` } });

      assert.deepEqual(await spans(), []);
    });
    await traced("telemetry.sample_ratio = 1", async ({ config, spans }) => {
      const app = new TestApp(Framework.http().config(config).get("/place", place));
      const { json } = await app.get("/place", { headers: { traceparent: `00-${trace}-${parent}-00` } });

      assert.deepEqual([(json as TraceContext).traceId, (json as TraceContext).sampled], [trace, false]);
      assert.deepEqual(await spans(), []);
    });
  });

  test("begins anew where callers contradict each other", async () => {
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http().bind("127.0.0.1:0").config(config).get("/place", place);
      await serving(ingress.run(), async (url) => {
        const lines = [0, 1].map((flag) => `traceparent: 00-${trace}-${parent}-0${flag}\r\n`).join("");
        await talk(new URL(url).host, `GET /place HTTP/1.1\r\nhost: a\r\n${lines}\r\n`, { until: 1 });

        const server = named(await spans(), "GET /place");
        assert.notEqual(server.traceId, trace);
        assert.equal(server.parentSpanId, "");
      });
    });
  });

  test("is an error for 5xx alone, with the fault's code", async () => {
    const refusing = (status: number) =>
      Axon.start(`refusing ${status}`).thenFn("refuse", () =>
        fault(new ProblemDetail({ status, code: `CODE_${status}`, title: "no" })),
      );
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http({ reporter: silent })
        .config(config)
        .get("/404", refusing(404))
        .get("/503", refusing(503))
        .get(
          "/throws",
          Axon.start("throws").thenFn("throw", () => {
            throw new Error("hunter22");
          }),
        );
      const app = new TestApp(ingress);
      for (const path of ["/404", "/503", "/throws", "/nowhere"]) await app.get(path);

      const all = await spans();
      const of = (name: string) => {
        const { status, attributes } = named(all, name);
        return [status, attributes["error.type"], attributes["http.response.status_code"]];
      };
      assert.deepEqual(of("GET /404"), ["UNSET", undefined, 404]);
      assert.deepEqual(of("GET /503"), ["ERROR", "CODE_503", 503]);
      assert.deepEqual(of("GET /throws"), ["ERROR", "TRANSITION_PANIC", 500]);
      assert.deepEqual(of("GET"), ["UNSET", undefined, 404]);
      const refusals = all.filter(({ name }) => name === "refuse");
      assert.deepEqual(
        refusals.map(({ status, attributes }) => [
          status,
          attributes["framework.node.outcome"],
          attributes["framework.fault.code"],
        ]),
        [
          ["UNSET", "fault", "CODE_404"],
          ["ERROR", "fault", "CODE_503"],
        ],
      );
      assert.equal(named(all, "throw").status, "ERROR");
      assert.doesNotMatch(JSON.stringify(all.map(({ attributes }) => attributes)), /hunter22/);
    });
  });

  test("shows guards and retries, and the address where somebody asks for it", async () => {
    const letIn = guard({ name: "DoorGuard", reads: [ClientIp], run: (input: unknown) => pass(input) });
    let tries = 0;
    const axon = Axon.start("twice").thenWithRetry(
      {
        name: "try",
        run: () => {
          tries += 1;
          return tries < 3 ? fault({ code: "NOT_YET" }) : "done";
        },
      },
      RetryPolicy.fixed(5, 1),
    );
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http().bind("127.0.0.1:0").config(config).guard(letIn).get("/a", axon);
      await serving(ingress.run(), async (url) => {
        await fetch(`${url}/a`);

        const all = await spans();
        assert.equal(named(all, "DoorGuard").attributes["framework.node.outcome"], "next");
        assert.equal(named(all, "GET /a").attributes["client.address"], "127.0.0.1");
        const retried = all.find(({ events }) => events.length > 0) ?? assert.fail("no retry is shown");
        assert.deepEqual(
          retried.events.map(({ name, attributes }) => [name, attributes["framework.retry.attempt"]]),
          [
            ["retry", 1],
            ["retry", 2],
          ],
        );
      });
    });
  });

  test("shows nothing of what a path holds by a secret's name", async () => {
    const reset = Axon.start("reset").thenFn("reset", (_, bus) => bus.get(param("token")).length, {
      reads: [param("token")],
    });
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http()
        .config(config)
        .get("/reset/:token/now", reset)
        .get("/all/*secret", hello)
        .get("/open/:a/:b", hello);
      const app = new TestApp(ingress);
      await app.get("/reset/hunter22/now");
      await app.get("/all/hunter22/hunter22");
      await app.get("/open/eyJhbGciOiJI.hunter22.hunter22/password=hunter22");

      const paths = (await spans())
        .filter(({ kind }) => kind === "SERVER")
        .map(({ attributes }) => attributes["url.path"]);
      assert.deepEqual(paths, [
        "/reset/[redacted]/now",
        "/all/[redacted]",
        "/open/[redacted]/password=[redacted]",
      ]);
    });
  });

  test("has what the gate refuses and what no route serves, and no probes", async () => {
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http()
        .bind("127.0.0.1:0")
        .config(config)
        .readinessLivenessDefault()
        .get("/a", hello);
      await serving(ingress.run(), async (url) => {
        const { host } = new URL(url);
        await fetch(`${url}/ready`);
        await fetch(`${url}/live`);
        await talk(host, "BREW /pot HTTP/1.1\r\nhost: a\r\n\r\n", { until: 1 });
        await fetch(`${url}/nowhere`, { method: "POST" });

        const all = await spans();
        assert.deepEqual(
          all.map(({ name, attributes }) => [
            name,
            attributes["http.request.method"],
            attributes["http.response.status_code"],
          ]),
          [
            ["HTTP", "_OTHER", 501],
            ["POST", "POST", 404],
          ],
        );
      });
    });
  });

  test("ends when its client goes away", async () => {
    let went = () => {};
    const begun = new Promise<void>((resolve) => {
      went = resolve;
    });
    const slow = Axon.start("slow").thenFn("wait", (_, bus) => {
      went();
      return new Promise((_, reject) =>
        bus.signal.addEventListener("abort", () => reject(bus.signal.reason)),
      );
    });
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http({ reporter: silent })
        .bind("127.0.0.1:0")
        .config(config)
        .get("/slow", slow);
      await serving(ingress.run(), async (url) => {
        const leave = new AbortController();
        const asked = fetch(`${url}/slow`, { signal: leave.signal }).catch(() => {});
        await begun;
        leave.abort();
        await asked;
        await until("the span has come", async () => (await spans()).length > 0);

        const { attributes, status } = named(await spans(), "GET /slow");
        assert.deepEqual(
          [attributes["http.response.status_code"], attributes["error.type"], status],
          [undefined, "RUN_ABORTED", "UNSET"],
        );
      });
    });
  });

  test("keeps a run of bodies and steps that take time together", async () => {
    const axon = Axon.start("late").thenFn("wait", async () => {
      await new Promise(setImmediate);
      return "done";
    });
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http().bind("127.0.0.1:0").config(config).post("/late", axon);
      await serving(ingress.run(), async (url) => {
        const answer = await fetch(`${url}/late`, { method: "POST", body: "x" });
        assert.equal(await answer.text(), "done");

        const all = await spans();
        assert.equal(named(all, "wait").parentSpanId, named(all, "POST /late").spanId);
      });
    });
  });

  test("is told beside an ingress's own recorder, which hears of what it asked for and no more", async () => {
    const heard: string[] = [];
    let watch: TracedRun["circuit"] | undefined;
    const recorder: Recorder = {
      mounted: (circuit) => {
        watch ??= circuit;
      },
      afterNode: (_, node) => heard.push(node),
    };
    await traced("", async ({ config, spans }) => {
      const app = new TestApp(Framework.http({ recorder }).config(config).get("/a", hello));
      await app.get("/a");
      assert.equal(heard.length, 0);
      watch?.watch({ kind: "sampled", every: 2 });
      for (let i = 0; i < 4; i += 1) await app.get("/a");

      assert.equal(heard.length, 4);
      assert.deepEqual([...(watch?.counts.entered ?? [])], [4, 4]);
      const nodes = (await spans()).filter(({ kind }) => kind === "INTERNAL");
      assert.equal(nodes.length, 10);
    });
  });

  test("is sent when its server stops, at the latest", async () => {
    await traced("", async ({ config, receiver }) => {
      const ingress = Framework.http().bind("127.0.0.1:0").config(config).get("/a", hello);
      await serving(ingress.run(), async (url) => {
        await (await fetch(`${url}/a`)).text();
      });

      assert.ok(receiver.spans.some(({ name }) => name === "GET /a"));
    });
  });

  test("leaves nothing where no endpoint is set: a step reads a trace that is not kept", async () => {
    const app = new TestApp(Framework.http().get("/place", place));
    const { json } = await app.get("/place", { headers: { traceparent: `00-${trace}-${parent}-01` } });

    assert.equal((json as TraceContext).sampled, true);
    assert.ok(parseTraceparent(`00-${trace}-${(json as TraceContext).spanId}-01`));
  });
});
