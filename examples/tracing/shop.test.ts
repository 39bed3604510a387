import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { shop, warehouse } from "./shop.js";

describe("the shop", () => {
  test("shares its request's id and its trace with the warehouse", async () => {
    const server = await warehouse().bind("127.0.0.1:0").run();
    try {
      const app = new TestApp(shop(`http://${server.address}`));
      const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
      const { json, headers } = await app.get("/offers/tea", {
        headers: { "x-request-id": "order-17", traceparent: `00-${trace}-00f067aa0ba902b7-01` },
      });

      assert.deepEqual(json, { left: 3, request: "order-17", trace });
      assert.equal(headers["x-request-id"], "order-17");
    } finally {
      await server.close();
    }
  });

  test("is 502 while the warehouse is down", async () => {
    const server = await warehouse().bind("127.0.0.1:0").run();
    await server.close();
    const { problem } = await new TestApp(shop(`http://${server.address}`)).get("/offers/tea");

    assert.deepEqual([problem.status, problem.code], [502, "UPSTREAM_FAILED"]);
  });
});
