import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { busKey, cookie, header, param, RequestId } from "framework/core";

describe("keys", () => {
  test("of one name are two keys", () => {
    const [first, second] = [busKey<string>()("Plan"), busKey<string>()("Plan")];

    assert.equal(first.name, second.name);
    assert.notEqual(first.slot, second.slot);
  });

  test("of headers, cookies and parameters are one by name", () => {
    assert.equal(header("x-tenant"), header("X-Tenant"));
    assert.equal(cookie("sid"), cookie("sid"));
    assert.equal(param("id"), param("id"));
    assert.notEqual(cookie("sid"), cookie("SID"), "cookie names tell case apart");
  });

  test("are the same for another copy of the package", async () => {
    const copy = (await import(
      `../../../src/core/facts/ingress-facts.js?copy=${Date.now()}`
    )) as typeof import("#core/facts/ingress-facts.js");

    assert.equal(copy.header("x-tenant"), header("x-tenant"));
    assert.equal(copy.RequestId, RequestId);
  });

  test("cannot be changed", () => {
    assert.ok(Object.isFrozen(busKey<string>()("Plan")));
  });
});
