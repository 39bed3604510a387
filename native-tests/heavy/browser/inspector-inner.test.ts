// What a step did inside, in the waterfall of a run.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../../support/browser.js";
import { busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";

describe("the waterfall of the Inspector's page", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();

  test("has rows of calls and spans below their step, which open with it, and says that it was slow", async () => {
    const state = busyState();
    const run = state.runs.find(({ duration_us, fault }) => duration_us > 8000 && fault === null);
    assert.ok(run !== undefined);
    const { reader } = await opened(state, { place: `&/runs/${run.run_id}` });
    const timeline = reader.page.getByRole("table", { name: `Timeline of run ${run.run_id}` });
    await timeline.waitFor();

    assert.deepEqual(await timeline.locator(".inner .name").allInnerTexts(), [
      "ask stock\n503",
      "POST stock.internal/api/\n503",
      "pg.query SELECT",
      "AuditSink.append\nopen",
    ]);
    await reader.sees(/^Slower than its p99, 7.90\sms$/);
    await timeline.getByTitle("store, not over when the run ended: AuditSink.append").waitFor();
    await timeline.getByText("pg.query SELECT").click();
    const told = reader.page.getByRole("region", { name: "Calls and spans" });
    await told.getByText("Only with inspector.capture_payloads full: db.query.text").waitFor();
    assert.match(await told.innerText(), /"db.response.returned_rows": 3/);
    await reader.close();
  });
});
