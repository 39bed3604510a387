import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { FrameworkConfig } from "framework";
import { initTelemetry } from "#telemetry/init-telemetry.js";
import { Telemetry } from "#telemetry/telemetry.js";
import { folderWith, loaded } from "../../support/config-folder.js";
import { receivers } from "../../support/otlp-receiver.js";

const span = { name: "a", kind: "SERVER", attributes: {} } as const;
const ids = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", traceState: "" };

/** Telemetry to a receiver, with so many spans that wait to be sent to it. */
async function waiting(count: number) {
  const receiver = await receivers.http();
  const config = loaded(
    `telemetry.otlp_endpoint = "${receiver.endpoint}"\ntelemetry.otlp_protocol = "http"\nlogging.level = "silent"`,
  );
  const tracing = initTelemetry(config);
  const begin = () => tracing?.root(span, ids.traceId, ids).end();
  for (let i = 0; i < count; i += 1) begin();
  return { receiver, begin, telemetry: new Telemetry(tracing) };
}

describe("what initTelemetry answers", () => {
  test("sends at once what waits, and says that all of it was taken", async () => {
    const { receiver, telemetry } = await waiting(2);

    assert.equal(telemetry.isSending, true);
    assert.equal(await telemetry.flush(), true);
    assert.equal(receiver.spans.length, 2);
    await receiver.close();
  });

  test("does nothing where there is nowhere to send to, and says so", async () => {
    const telemetry = FrameworkConfig.load({ cwd: folderWith(), env: {} }).initTelemetry();

    assert.equal(telemetry.isSending, false);
    assert.equal(await telemetry.flush(), true);
    assert.equal(await telemetry.shutdown(), true);
  });

  test("says that not all was taken where the endpoint refuses it, is away or takes too long, and never rejects", async () => {
    const { receiver, telemetry, begin } = await waiting(1);
    receiver.manner = "refuse";
    assert.equal(await telemetry.flush(), false);

    receiver.manner = "hang";
    begin();
    assert.equal(await telemetry.flush(1), false);
    assert.equal(await telemetry.flush(Number.NaN), false);
    assert.equal(await telemetry.shutdown(1), false);
    await receiver.close();

    begin();
    assert.equal(await telemetry.shutdown(), false);
    const broken = new Telemetry({ flush: () => Promise.reject(new Error("no")), dropped: 0 } as never);
    assert.equal(await broken.flush(), false);
  });

  test("sends on after a shutdown", async () => {
    const { receiver, telemetry, begin } = await waiting(1);
    assert.equal(await telemetry.shutdown(), true);
    begin();

    assert.equal(await telemetry.flush(), true);
    assert.equal(receiver.spans.length, 2);
    await receiver.close();
  });
});
