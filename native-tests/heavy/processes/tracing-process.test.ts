import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";

import { type OtlpReceiver, receivers } from "../../support/otlp-receiver.js";
import { until } from "../../support/patience.js";
import { startServer } from "../../support/server-process.js";

const started = ({ endpoint, protocol }: Pick<OtlpReceiver, "endpoint" | "protocol">, env = {}) =>
  startServer("./tracing-server.ts", {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol === "http" ? "http/protobuf" : "grpc",
    OTEL_SERVICE_NAME: "kiosk",
    ...env,
  });

const linesOf = (log: string): readonly Record<string, unknown>[] =>
  log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

describe("a process that is traced", () => {
  for (const [protocol, open] of Object.entries(receivers)) {
    test(`sends what it has over ${protocol} when it is told to stop, and logs by the same ids`, async () => {
      const receiver = await open();
      const server = await started(receiver);
      assert.equal(await (await fetch(`http://${server.address}/hello`)).text(), "hello");

      assert.equal(await server.stop(), 0);
      const span = receiver.spans.find(({ kind }) => kind === "SERVER") ?? assert.fail(server.log());
      assert.equal(span.resource["service.name"], "kiosk");
      const line = linesOf(server.stdout()).find(({ msg }) => msg === "greeted");
      assert.deepEqual([line?.["trace_id"], line?.["span_id"]], [span.traceId, span.spanId]);
      await receiver.close();
    });
  }

  test("sends what it has when it crashes", async () => {
    const receiver = await receivers.http();
    const server = await started(receiver);
    const exited = once(server.process, "exit");
    await fetch(`http://${server.address}/crash`);

    assert.deepEqual(await exited, [1, null]);
    assert.ok(receiver.spans.some(({ name }) => name === "GET /crash"));
    await receiver.close();
  });

  test("sends what it has when it has nothing more to do", async () => {
    const receiver = await receivers.grpc();
    const script = await started(receiver, { SERVES: "no" });
    if (script.alive()) await once(script.process, "exit");

    assert.equal(script.process.exitCode, 0);
    assert.deepEqual(
      receiver.spans.map(({ name, scope }) => [name, scope]),
      [["work", "script"]],
    );
    await receiver.close();
  });

  for (const manner of ["refuse", "hang", "away"] as const) {
    for (const [protocol, open] of Object.entries(receivers)) {
      test(`answers and stops as ever where the collector is to ${manner} over ${protocol}`, async () => {
        const receiver = await open();
        if (manner === "away") await receiver.close();
        else receiver.manner = manner;
        const server = await started(
          manner === "away" ? { endpoint: "http://127.0.0.1:1", protocol: receiver.protocol } : receiver,
        );
        const statuses = new Set<number>();
        for (let i = 0; i < 600; i += 1) {
          const answer = await fetch(`http://${server.address}/hello`);
          await answer.arrayBuffer();
          statuses.add(answer.status);
        }
        if (manner !== "away") await until("it is asked", () => receiver.requests.length > 0);

        assert.deepEqual([...statuses], [200]);
        const began = performance.now();
        assert.equal(await server.stop(), 0);
        // An export alone may take ten seconds; the limit of stopping is 200 ms, and 2 s for what ends.
        assert.ok(performance.now() - began < 9000);
        const told = linesOf(server.stdout()).filter(({ code }) => code === "TELEMETRY_DROPPED");
        assert.ok(told.length >= 1 && told.length <= 2, server.log());
        assert.deepEqual([told[0]?.["level"], told[0]?.["module"]], [40, "framework"]);
        await receiver.close();
      });
    }
  }
});
