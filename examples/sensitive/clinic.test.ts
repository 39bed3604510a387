import assert from "node:assert/strict";
import { test } from "node:test";

import { TestApp } from "framework/http";

import { clinic } from "./clinic.js";

const ada = { name: "Ada", born: "1815-12-10", findings: ["measles", "x".repeat(501)] };

test("an error says that a finding is wrong, and nothing of the findings", async () => {
  const { status, json } = await new TestApp(clinic()).post("/patients", { json: ada });

  assert.equal(status, 422);
  assert.deepEqual((json as { errors: unknown }).errors, [
    { pointer: "/findings/1", keyword: "maxLength", expected: "at most 500 characters" },
  ]);
});
