import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { charts } from "../../examples/guards/rate-limit.js";
import { assertShown } from "../support/shown-answer.js";

describe("docs/guards.md", () => {
  test("shows a refusal as it is answered", async () => {
    const [, shown = ""] = /```text\n(HTTP\/1\.1 .*?)```/s.exec(readFileSync("docs/guards.md", "utf8")) ?? [];
    const app = new TestApp(charts(() => 0));
    await app.get("/atlas");

    assertShown(shown, await app.get("/atlas"));
  });
});
