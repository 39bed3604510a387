import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { nearestRoute } from "#http/routing/nearest-route.js";

const ROUTES = [
  "GET /products/:sku",
  "POST /orders",
  "GET /orders/:id",
  "GET /files/*path",
  "GET /v1::batch/runs",
  "GET /",
  "* /*any",
].map((route) => {
  const [method = "", path = ""] = route.split(" ");
  return { method, path };
});

describe("the nearest route", () => {
  const cases: readonly (readonly [method: string, path: string, nearest: string | null])[] = [
    ["DELETE", "/products/7", "GET /products/:sku"],
    ["GET", "/product/7", "GET /products/:sku"],
    ["GET", "/Products/7", "GET /products/:sku"],
    ["GET", "/orders", "POST /orders"],
    ["POST", "/orders/", "POST /orders"],
    ["GET", "/ordres/7", "GET /orders/:id"],
    ["GET", "/orders/7/lines", "GET /orders/:id"],
    ["POST", "/files/a/b/c", "GET /files/*path"],
    ["POST", "/v1:batch/runs", "GET /v1::batch/runs"],
    ["GET", "/wp-login.php", null],
    ["GET", "/a/b/c/d/e", null],
    ["GET", "/order/x/y/z", null],
  ];
  for (const [method, path, nearest] of cases)
    test(`of ${method} ${path} is ${nearest ?? "none"}`, () => {
      assert.equal(nearestRoute(method, path, ROUTES), nearest);
    });

  test("is never a fallback, and of no routes none", () => {
    assert.equal(nearestRoute("GET", "/zzz", [{ method: "*", path: "/zzz" }]), null);
    assert.equal(nearestRoute("GET", "/", []), null);
  });
});
