import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Log, type LogWriter } from "framework";
import { TestApp } from "framework/http";

import { app } from "./app.js";

describe("the kiosk", () => {
  test("logs each sale", async () => {
    const lines: unknown[] = [];
    const write = (fields: unknown, message?: unknown) => lines.push([message, fields]);
    const log: LogWriter = {
      trace: write,
      debug: write,
      info: write,
      warn: write,
      error: write,
      fatal: write,
    };
    const sale = { sku: "tea", cents: 500 };

    const { json } = await new TestApp(app().provide(Log, () => log)).post("/sales", { json: sale });

    assert.deepEqual(json, { cents: 500 });
    assert.deepEqual(lines, [["sold", { sale }]]);
  });
});
