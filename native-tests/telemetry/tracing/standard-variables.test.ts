import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { initTelemetry } from "#telemetry/init-telemetry.js";
import { exportUrl, targetOf } from "#telemetry/tracing/endpoint.js";
import { loaded, mistaken, reported } from "../../support/config-folder.js";
import { receivers } from "../../support/otlp-receiver.js";
import { assertSaid } from "../../support/said.js";

const span = { name: "a", kind: "SERVER", attributes: {} } as const;
const ids = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", traceState: "" };

describe("OpenTelemetry's variables for what is sent", () => {
  test("name an endpoint for traces, which comes before that of all signals and is used as it is", async () => {
    const receiver = await receivers.http();
    const config = loaded(undefined, {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.endpoint}/in/here/`,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    });
    initTelemetry(config)?.root(span, ids.traceId, ids).end();
    await initTelemetry(config)?.flush();

    assert.deepEqual(
      receiver.requests.map(({ path }) => path),
      ["/in/here/"],
    );
    await receiver.close();
  });

  test("give the endpoint of traces to the layers as any other key: a file's comes before the other's variable", () => {
    const { telemetry } = loaded("telemetry.otlp_traces_endpoint = 'http://file:1/traces'", {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://variable:1",
    });
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://otel:1/",
      FRAMEWORK_TELEMETRY_OTLP_TRACES_ENDPOINT: "http://ours:1/",
    };

    const target = targetOf({ telemetry });
    assert.equal(target && exportUrl(target, "http"), "http://file:1/traces");
    assert.equal(target && exportUrl(target, "grpc"), "http://file:1");
    assert.equal(loaded(undefined, env).telemetry.otlpTracesEndpoint?.reveal(), "http://ours:1/");
  });

  for (const [protocol, open] of Object.entries(receivers)) {
    test(`name what goes with each batch over ${protocol}: those of traces, else those of all signals`, async () => {
      const receiver = await open();
      const to = `telemetry.otlp_endpoint = "${receiver.endpoint}"\ntelemetry.otlp_protocol = "${protocol}"`;
      for (const env of [
        { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20YTpi,x-tenant=a" },
        { OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a", OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-tenant=b" },
        { OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a", OTEL_EXPORTER_OTLP_TRACES_HEADERS: "" },
      ]) {
        const tracing = initTelemetry(loaded(to, env));
        tracing?.root(span, ids.traceId, ids).end();
        await tracing?.rest(new Promise(() => {}));
      }

      assert.deepEqual(
        receiver.requests.map(({ headers }) => [headers["authorization"], headers["x-tenant"]]),
        [
          ["Basic YTpi", "a"],
          [undefined, "b"],
          [undefined, "a"],
        ],
      );
      await receiver.close();
    });
  }

  test("never print what goes with a batch, nor name it where it is refused", () => {
    const config = loaded("telemetry.otlp_headers = { authorization = 'hunter22' }");
    assert.doesNotMatch(JSON.stringify(config.telemetry), /hunter22/);

    for (const text of ["authorization", "bad name=hunter22", "a=hunter22%0a"])
      assert.match(
        mistaken(() => loaded(undefined, { OTEL_EXPORTER_OTLP_TRACES_HEADERS: text })).message,
        /^(?!.*hunter22).*OTEL_EXPORTER_OTLP_TRACES_HEADERS: is not accepted; .*names of headers/s,
      );
    assert.match(
      mistaken(() => loaded("telemetry.otlp_headers = { 'bad name' = 'hunter22' }")).message,
      /^(?!.*hunter22).*telemetry\.otlp_headers: is not accepted/s,
    );
  });

  test("size the queue, its batches and its times, within bounds", () => {
    const { telemetry } = loaded("telemetry.schedule_delay_ms = 1\ntelemetry.export_timeout_ms = 2", {
      OTEL_BSP_MAX_QUEUE_SIZE: "100",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10",
      OTEL_BSP_SCHEDULE_DELAY: "30",
      OTEL_BSP_EXPORT_TIMEOUT: "40",
      FRAMEWORK_TELEMETRY_EXPORT_TIMEOUT_MS: "50",
    });
    const { maxQueueSize, maxExportBatchSize, scheduleDelayMs, exportTimeoutMs } = telemetry;
    assert.deepEqual([maxQueueSize, maxExportBatchSize, scheduleDelayMs, exportTimeoutMs], [100, 10, 30, 50]);
    assert.equal(loaded("telemetry.max_queue_size = 100").telemetry.maxExportBatchSize, 100);

    assertSaid(
      reported(() =>
        loaded(undefined, {
          OTEL_BSP_MAX_QUEUE_SIZE: "0",
          OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "many",
          OTEL_BSP_SCHEDULE_DELAY: "-1",
          OTEL_BSP_EXPORT_TIMEOUT: "1e9",
        }),
      ),
      [
        /^OTEL_BSP_MAX_QUEUE_SIZE: is 0; .* from 1 to 1000000$/,
        /^OTEL_BSP_MAX_EXPORT_BATCH_SIZE: is "many"; .* from 1 to 100000$/,
        /^OTEL_BSP_SCHEDULE_DELAY: is -1; .* from 0 to 3600000$/,
        /^OTEL_BSP_EXPORT_TIMEOUT: is 1000000000; .* from 1 to 3600000$/,
      ],
    );
    assertSaid(
      reported(() => loaded("telemetry.max_queue_size = 100\ntelemetry.max_export_batch_size = 101")),
      [
        /^framework\.toml:2:1 telemetry\.max_export_batch_size: is 101; .*telemetry\.max_queue_size, which is 100$/,
      ],
    );
  });

  test("are what the queue does: a batch goes out when it has so many spans, and no more of them wait", async () => {
    const receiver = await receivers.http();
    const tracing = initTelemetry(
      loaded(
        `telemetry.otlp_endpoint = "${receiver.endpoint}"\ntelemetry.otlp_protocol = "http"\ntelemetry.schedule_delay_ms = 3600000`,
        { OTEL_BSP_MAX_QUEUE_SIZE: "3", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "2" },
      ),
    );
    for (let i = 0; i < 5; i += 1) tracing?.root(span, ids.traceId, ids).end();

    await receiver.received(2);
    assert.equal(tracing?.dropped, 2);
    await tracing?.flush();
    assert.equal(receiver.spans.length, 3);
    await receiver.close();
  });
});
