import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { charts } from "../../examples/guards/rate-limit.js";

describe("docs/guards.md", () => {
  test("shows a refusal as it is answered", async () => {
    const [, shown = ""] = /```text\nHTTP\/1\.1 (.*?)```/s.exec(readFileSync("docs/guards.md", "utf8")) ?? [];
    const [head = "", body = ""] = shown.trimEnd().split("\n\n");
    const [status = "", ...lines] = head.split("\n");
    const app = new TestApp(charts(() => 0));
    await app.get("/atlas");
    const refused = await app.get("/atlas");

    assert.equal(Number.parseInt(status, 10), refused.status);
    assert.deepEqual(
      lines,
      Object.entries(refused.headers)
        .filter(([name]) => name !== "content-length")
        .map(([name, value]) => `${name}: ${value}`),
    );
    assert.deepEqual({ ...refused.problem, request_id: "" }, { ...JSON.parse(body), request_id: "" });
  });
});
