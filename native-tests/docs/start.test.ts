// docs/start.md, as far as pages.test.ts, programs.test.ts and cli/commands/new.test.ts do not compare it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { loaded } from "../support/config-folder.js";
import { pageAt } from "./page.js";

test("docs/start.md says the port that is the default", () => {
  const { text } = pageAt("docs/start.md");

  assert.ok(text.includes(`The server listens on port ${loaded().server.port} (`));
});
