// A reduction that takes seconds of the twenty that it has.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fuzz } from "framework/fuzz";

import * as faulty from "../../support/faulty-app.js";

test("a fuzz run keeps the requests before the one that fails where they are needed, and no others", async () => {
  const { failures } = await fuzz(faulty, { seed: 1, runs: 60, route: "/emptied" });
  const request = { route: "POST /emptied", json: { sku: "a", qty: 1 } };

  assert.deepEqual(failures[0]?.requests, [request, request, request]);
});
