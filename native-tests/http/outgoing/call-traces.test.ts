import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Axon, Framework, fault, HttpClient, ProblemDetail, synapse, TraceContext } from "framework";
import { TestApp } from "framework/http";

import type { ReceivedSpan } from "../../support/otlp-spans.js";
import { serving, traced } from "../../support/traced-server.js";

const silent = () => {};

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan =>
  spans.find((span) => span.name === name) ??
  assert.fail(`No '${name}' among ${spans.map((span) => span.name).join(", ")}`);

describe("the trace of a request that asks others", () => {
  test("goes on in what an HttpClient asks, each call a span of its own", async () => {
    const seen: (string | undefined)[] = [];
    const remote = Axon.start("remote").thenFn(
      "answer",
      (_, bus) => {
        seen.push(bus.get(TraceContext).parentSpanId);
        return fault(new ProblemDetail({ status: 404, code: "GONE", title: "no" }));
      },
      { reads: [TraceContext] },
    );
    await serving(Framework.http().bind("127.0.0.1:0").get("/items/:id", remote).run(), async (url) => {
      const client = new HttpClient(url);
      const ask = Axon.start("ask").then(
        synapse({
          name: "ask",
          reads: HttpClient.keys,
          call: async (_: unknown, bus) =>
            (await client.fetch(bus, "items/7", { query: { q: "hunter22" } })).status,
          toFault: HttpClient.toFault,
        }),
      );
      await traced("", async ({ config, spans }) => {
        const app = new TestApp(Framework.http().config(config).get("/ask", ask));
        await app.get("/ask");

        const all = await spans();
        const call = named(all, "GET");
        assert.deepEqual([call.kind, call.status], ["CLIENT", "ERROR"]);
        assert.equal(call.parentSpanId, named(all, "ask").spanId);
        assert.deepEqual(seen, [call.spanId]);
        assert.deepEqual(call.attributes, {
          "http.request.method": "GET",
          "server.address": "127.0.0.1",
          "server.port": Number(new URL(url).port),
          "url.full": `${url}/items/7`,
          "http.response.status_code": 404,
          "error.type": "404",
        });
      });
    });
  });

  test("says of a service that is down why there is no answer", async () => {
    const client = new HttpClient("http://127.0.0.1:1");
    const ask = Axon.start("ask").then(
      synapse({
        name: "ask",
        reads: HttpClient.keys,
        call: (_: unknown, bus) => client.json(bus, "x"),
        toFault: HttpClient.toFault,
      }),
    );
    await traced("", async ({ config, spans }) => {
      await new TestApp(Framework.http({ reporter: silent }).config(config).get("/ask", ask)).get("/ask");

      const all = await spans();
      const { status, attributes } = named(all, "GET");
      assert.deepEqual([status, attributes["error.type"]], ["ERROR", "UPSTREAM_FAILED"]);
      assert.equal(named(all, "GET /ask").attributes["error.type"], "UPSTREAM_FAILED");
    });
  });
});
