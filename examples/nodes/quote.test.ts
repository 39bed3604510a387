import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";
import type { LogRecord } from "framework/std";

import { app } from "./app.js";
import { type Parcel, type Rates, UnknownTenant } from "./parcel.js";
import { quote } from "./quote.js";

const rates: Rates = {
  async percentOf(tenant) {
    if (tenant === "nobody") throw new UnknownTenant();
    return tenant === "acme" ? 90 : 100;
  },
};
const tea: Parcel = { sku: "tea-0001", grams: 500, country: "DE" };

/** Quotes, and what was logged of them. */
function open() {
  const log: LogRecord[] = [];
  const test = new TestApp(
    app((record) => log.push(record)),
    { Rates: rates },
  );
  const ask = async (parcel: unknown, tenant?: string) => {
    const headers = tenant === undefined ? {} : { "x-tenant": tenant };
    const { status, json } = await test.post("/quotes", { json: parcel, headers });
    const { cents, code } = json as { cents?: number; code?: string };
    return [status, cents ?? code];
  };
  return { log, ask };
}

describe("a quote", () => {
  test("is by weight, country and care", async () => {
    const { ask } = open();

    assert.deepEqual(await ask(tea), [200, 440]);
    assert.deepEqual(await ask({ ...tea, country: "FR" }), [200, 1090]);
    assert.deepEqual(await ask({ ...tea, fragile: true }), [200, 690]);
    assert.deepEqual(await ask({ ...tea, country: "FR", fragile: true }), [200, 1340]);
  });

  test("is what the tenant has agreed on", async () => {
    const { ask } = open();

    assert.deepEqual(await ask(tea, "acme"), [200, 396]);
    assert.deepEqual(await ask(tea, "nobody"), [403, "NO_CONTRACT"]);
    assert.deepEqual(await ask(tea, "ACME"), [400, "TENANT_INVALID"]);
  });

  test("is refused for what cannot be sent", async () => {
    const { ask } = open();

    assert.deepEqual(await ask({ ...tea, sku: "tea" }), [422, "PATTERN_MISMATCH"]);
    assert.deepEqual(await ask({ ...tea, grams: 30_001 }), [422, "RANGE_EXCEEDED"]);
    assert.deepEqual(await ask({ ...tea, country: "XX" }), [409, "NOT_SERVED"]);
    assert.deepEqual(await ask({ ...tea, grams: "1" }), [422, "INPUT_INVALID"]);
  });

  test("is logged with its request's id, and nothing that was sent", async () => {
    const { ask, log } = open();
    await ask(tea);

    assert.deepEqual(
      log.map(({ message, value }) => [message, value]),
      [["quoted", { cents: 440 }]],
    );
    assert.match(log[0]?.requestId ?? "", /^[0-9a-f-]{36}$/);
  });
});

test("the service that is asked is drawn as one", () => {
  const kinds = new Map(
    quote()
      .schematic()
      .nodes.map(({ label, kind }) => [label, kind]),
  );

  assert.deepEqual([kinds.get("agree"), kinds.get("PatternValidator")], ["Synapse", "Atom"]);
});
