import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { parseAddress } from "#http/refusal/address.js";
import { type ShutdownSettings, shutdownTimes } from "#http/serving/shutdown-times.js";

const times = (address: string, settings: Partial<ShutdownSettings> = {}) =>
  shutdownTimes({
    production: true,
    address: parseAddress(address),
    shutdownTimeoutMs: 30_000,
    shutdownDelayMs: undefined,
    drainIdleMs: undefined,
    ...settings,
  });

describe("the times of stopping", () => {
  test("have a delay where others can reach the address, and none on loopback", () => {
    const delays = ["127.0.0.1:1", "localhost:1", "[::1]:1", "0.0.0.0:1", "[::]:1", "unix:/x"].map(
      (address) => times(address).delayMs,
    );

    assert.deepEqual(delays, [0, 0, 0, 5000, 5000, 5000]);
  });

  test("wait for idle connections in production alone", () => {
    assert.equal(times("a:1").idleMs, 12_000);
    assert.equal(times("a:1", { production: false }).idleMs, 0);
  });

  test("are what was set", () => {
    const set = times("0.0.0.0:1", { shutdownTimeoutMs: 900, shutdownDelayMs: 100, drainIdleMs: 0 });

    assert.deepEqual(set, { delayMs: 100, idleMs: 0, limitMs: 900 });
    assert.equal(times("0.0.0.0:1", { shutdownTimeoutMs: 0, shutdownDelayMs: 0 }).delayMs, 0);
  });

  test("leave half of a short limit to what is in flight, and refuse a delay that leaves nothing", () => {
    assert.equal(times("0.0.0.0:1", { shutdownTimeoutMs: 900 }).delayMs, 450);
    assert.throws(() => times("0.0.0.0:1", { shutdownTimeoutMs: 900, shutdownDelayMs: 900 }), {
      code: "CONFIG_INVALID",
      message: /900 ms leaves nothing of the 900 ms/,
    });
  });
});
