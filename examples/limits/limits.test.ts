import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { parcels } from "./parcels.js";

const never = (signal: AbortSignal) =>
  new Promise<number>((_, reject) => {
    const timer = setTimeout(() => {}, 60_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

const host = "parcels.example";

describe("the parcels", () => {
  const app = new TestApp(parcels(async () => 7));

  test("are asked for by a client that a trusted proxy names", async () => {
    const headers = { host, "x-forwarded-for": "203.0.113.9, 198.51.100.7", "x-forwarded-proto": "https" };

    assert.deepEqual((await app.get("/whoami", { headers, peer: "10.1.2.3" })).json, {
      ip: "198.51.100.7",
      scheme: "https",
    });
    assert.deepEqual((await app.get("/whoami", { headers, peer: "192.0.2.1" })).json, {
      ip: "192.0.2.1",
      scheme: "http",
    });
  });

  test("are served under their own names alone", async () => {
    assert.equal((await app.get("/whoami", { headers: { host: "eu.parcels.example:8080" } })).status, 200);
    assert.equal(
      (await app.get("/whoami", { headers: { host: "letters.example" } })).problem.code,
      "HOST_UNSERVED",
    );
  });

  test("are counted in time, or not at all", async () => {
    assert.deepEqual((await app.get("/inventory", { headers: { host } })).json, { parcels: 7 });
    const { problem } = await new TestApp(parcels(never)).get("/inventory", { headers: { host } });
    assert.deepEqual([problem.status, problem.code], [504, "ROUTE_TIMEOUT"]);
  });
});
