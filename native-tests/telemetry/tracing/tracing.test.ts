import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import * as imported from "@opentelemetry/api";

import type { Report } from "#core/bus/reporter.js";
import { initTelemetry } from "#telemetry/init-telemetry.js";
import { Tracing } from "#telemetry/tracing/tracing.js";
import { loaded } from "../../support/config-folder.js";
import { type OtlpReceiver, receivers } from "../../support/otlp-receiver.js";

const base = (endpoint: string) => ({ endpoint, isForTraces: false });

const never = () => new Promise(() => {});

/** Traces to a receiver, which are sent when they are flushed. */
function tracingTo({ endpoint, protocol }: OtlpReceiver, toml = "", env = {}) {
  const config = loaded(
    `telemetry.otlp_endpoint = "${endpoint}"\ntelemetry.otlp_protocol = "${protocol}"\n${toml}`,
    env,
  );
  const reports: string[] = [];
  const tracing = new Tracing(config, base(endpoint), ({ code, message }) =>
    reports.push(`${code}: ${message}`),
  );
  return { tracing, reports };
}

const unreported = ({ message }: Report) => assert.fail(message);

const ids = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", traceState: "a=b" };

describe("tracing", () => {
  test("is nothing at all without an endpoint, or where it is disabled", () => {
    const to = "telemetry.otlp_endpoint = 'http://127.0.0.1:1'";

    assert.equal(initTelemetry(loaded()), undefined);
    assert.equal(initTelemetry(loaded(`${to}\ntelemetry.enabled = false`)), undefined);
    assert.equal(initTelemetry(loaded(to, { OTEL_SDK_DISABLED: "TRUE" })), undefined);
  });

  test("is made once for a configuration", () => {
    const config = loaded("telemetry.otlp_endpoint = 'http://127.0.0.1:1'");

    assert.ok(initTelemetry(config));
    assert.equal(initTelemetry(config), initTelemetry(config));
  });

  for (const [protocol, open] of Object.entries(receivers)) {
    test(`sends spans over ${protocol}, with who sends them`, async () => {
      const receiver = await open();
      const { tracing, reports } = tracingTo(receiver, "telemetry.service_name = 'orders'", {
        OTEL_RESOURCE_ATTRIBUTES: "service.name=hidden,deployment.environment.name=a%20b,team=x=y",
      });
      const root = tracing.root(
        {
          name: "GET /a",
          kind: "SERVER",
          attributes: { "http.request.method": "GET", n: 3 },
          startedAt: 1_900_000_000_000.25,
        },
        ids.traceId,
        ids,
      );
      const inner = tracing.child({ name: "inner", kind: "INTERNAL", attributes: {} }, tracing.within(root));
      inner.end();
      tracing.fail(root, "broken");
      root.end(1_900_000_001_000.5);
      await tracing.rest(never());

      const [child, parent] = receiver.spans;
      assert.equal(receiver.spans.length, 2);
      const { attributes, kind, name, startedAt, endedAt, status, message, traceState } =
        parent ?? assert.fail();
      assert.deepEqual(
        { attributes, kind, name, status, message, traceState },
        {
          attributes: { "http.request.method": "GET", n: 3 },
          kind: "SERVER",
          name: "GET /a",
          status: "ERROR",
          message: "broken",
          traceState: "a=b",
        },
      );
      assert.deepEqual([startedAt, endedAt], [1_900_000_000_000_250_000n, 1_900_000_001_000_500_000n]);
      assert.deepEqual([parent?.traceId, parent?.parentSpanId], [ids.traceId, ids.spanId]);
      assert.deepEqual([child?.traceId, child?.parentSpanId], [ids.traceId, parent?.spanId]);
      assert.equal(child?.kind, "INTERNAL");
      const { resource } = parent ?? assert.fail();
      assert.equal(resource["service.name"], "orders");
      assert.equal(resource["deployment.environment.name"], "a b");
      assert.equal(resource["team"], "x=y");
      assert.equal(resource["telemetry.distro.name"], "framework");
      assert.match(String(resource["telemetry.distro.version"]), /^\d+\.\d+\.\d+$/);
      assert.match(String(resource["service.version"]), /^\d+\.\d+\.\d+$/);
      assert.equal(resource["telemetry.sdk.language"], "nodejs");
      assert.equal(receiver.requests.length, 1);
      assert.deepEqual(reports, []);
      await receiver.close();
    });

    test(`opens its connection over ${protocol} again after a rest`, async () => {
      const receiver = await open();
      const { tracing } = tracingTo(receiver);
      for (const name of ["first", "second"]) {
        tracing.root({ name, kind: "SERVER", attributes: {} }, ids.traceId, ids).end();
        await tracing.rest(never());
      }

      assert.deepEqual(
        receiver.spans.map((span) => span.name),
        ["first", "second"],
      );
      await receiver.close();
    });

    test(`counts what an endpoint refuses over ${protocol}, and says so once`, async () => {
      const receiver = await open();
      receiver.manner = "refuse";
      const { tracing, reports } = tracingTo(receiver);
      for (let i = 0; i < 3; i += 1) {
        tracing.root({ name: "a", kind: "SERVER", attributes: {} }, ids.traceId, ids).end();
        await tracing.flush();
      }

      assert.equal(tracing.dropped, 3);
      assert.equal(reports.length, 1);
      assert.match(reports[0] ?? "", /^TELEMETRY_DROPPED: 1 spans were not sent: /);
      await tracing.rest(never());
      assert.match(reports[1] ?? "", /^TELEMETRY_DROPPED: 2 spans/);
      await receiver.close();
    });

    test(`gives a collector up that never answers over ${protocol}, when its time is over`, async () => {
      const receiver = await open();
      receiver.manner = "hang";
      const { tracing, reports } = tracingTo(receiver);
      tracing.root({ name: "a", kind: "SERVER", attributes: {} }, ids.traceId, ids).end();
      let end = () => {};
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      const resting = tracing.rest(over);
      while (receiver.requests.length === 0) await new Promise(setImmediate);
      end();
      await resting;

      assert.equal(tracing.dropped, 1);
      assert.match(reports[0] ?? "", /^TELEMETRY_DROPPED: 1 spans were not sent: the process stopped/);
      await receiver.close();
    });
  }

  test("sends to the path of traces over HTTP, below an endpoint's own", async () => {
    const receiver = await receivers.http();
    const config = loaded(`telemetry.otlp_protocol = "http"`);
    for (const path of ["", "/", "/base", "/base/v1/traces"]) {
      const tracing = new Tracing(config, base(receiver.endpoint + path), unreported);
      tracing.root({ name: "a", kind: "SERVER", attributes: {} }, ids.traceId, ids).end();
      await tracing.rest(never());
    }

    assert.deepEqual(
      receiver.requests.map(({ path }) => path),
      ["/v1/traces", "/v1/traces", "/base/v1/traces", "/base/v1/traces"],
    );
    await receiver.close();
  });

  test("refuses credentials in the endpoint, and names the variable for them", () => {
    assert.throws(
      () => new Tracing(loaded(), base("http://user:hunter22@collector:4317"), unreported),
      (error) => {
        const { code, message } = error as { code: string; message: string };
        assert.equal(code, "CONFIG_INVALID");
        assert.match(message, /OTEL_EXPORTER_OTLP_HEADERS/);
        assert.doesNotMatch(message, /hunter22/);
        return true;
      },
    );
  });

  test("is what both copies of OpenTelemetry's interface give a program, asked before or after", async () => {
    const copies = [imported, createRequire(import.meta.url)("@opentelemetry/api") as typeof imported];
    // What tests before have left is of either.
    for (const { trace } of copies) trace.disable();
    const receiver = await receivers.http();
    const before = copies.map(({ trace }) => trace.getTracer("before"));
    const { tracing } = tracingTo(receiver);
    const after = copies.map(({ trace }) => trace.getTracer("after"));
    await tracing.published;
    for (const tracer of [...before, ...after]) tracer.startSpan("own", { attributes: { sku: "tea" } }).end();
    await tracing.rest(never());

    assert.deepEqual(
      receiver.spans.map(({ name, scope, attributes }) => [name, scope, attributes["sku"]]),
      ["before", "before", "after", "after"].map((scope) => ["own", scope, "tea"]),
    );
    await receiver.close();
  });
});
