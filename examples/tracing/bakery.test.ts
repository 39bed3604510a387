import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { FrameworkConfig } from "framework";
import { TestApp } from "framework/http";

import { httpReceiver } from "../../native-tests/support/otlp-receiver.js";
import { bakery } from "./bakery.js";

describe("the bakery", () => {
  test("shows its oven below the request that it is heated for", async () => {
    const collector = await httpReceiver();
    const config = FrameworkConfig.load({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
        OTEL_SERVICE_NAME: "bakery",
      },
    });
    try {
      // A server waits for its tracing before it listens and before it has stopped; a TestApp does not.
      const server = await bakery(config).bind("127.0.0.1:0").run();
      const response = await fetch(`http://${server.address}/loaves/3`, { method: "POST" });
      await server.close();

      const [step, oven] = ["bake", "heat the oven"].map((name) =>
        collector.spans.find((span) => span.name === name),
      );
      assert.deepEqual(await response.json(), { loaves: 3 });
      assert.deepEqual([oven?.parentSpanId, oven?.traceId], [step?.spanId, step?.traceId]);
      assert.deepEqual([oven?.attributes, oven?.resource["service.name"]], [{ degrees: 220 }, "bakery"]);
    } finally {
      await collector.close();
    }
  });

  test("bakes no number of loaves that is none", async () => {
    const app = new TestApp(bakery(FrameworkConfig.load({ env: {} })));

    assert.deepEqual(
      [(await app.post("/loaves/some")).status, (await app.post("/loaves/0")).status],
      [400, 422],
    );
  });
});
