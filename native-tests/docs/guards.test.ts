import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { charts } from "../../examples/guards/rate-limit.js";
import { assertShown } from "../support/shown-answer.js";
import { pageAt, textsIn } from "./page.js";

describe("docs/guards.md", () => {
  test("shows a refusal as it is answered", async () => {
    const [shown = ""] = textsIn(pageAt("docs/guards.md"), "text");
    const app = new TestApp(charts(() => 0));
    await app.get("/atlas");

    assertShown(shown, await app.get("/atlas"));
  });
});
