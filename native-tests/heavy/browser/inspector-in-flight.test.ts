// Runs that have not ended on the Inspector's page: where they are, their abort, and what became of a
// held one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../../support/browser.js";
import { busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";

describe("the Inspector's page of runs in flight", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();

  test("lists them with path, Bus and elapsed time, and aborts one after it has asked", async () => {
    const { fixture, reader } = await opened(busyState(), { place: "&/in-flight" });
    const table = reader.page.getByRole("table", { name: "Runs in flight" });
    const row = table.getByRole("row", { name: /4\.20.s checkout · pay input → pay Subtotal flying/ });
    await row.waitFor();
    await table.getByRole("link", { name: "held" }).waitFor();
    await row.getByRole("button", { name: "Abort" }).click();
    assert.ok(fixture.asked.every(({ path }) => !path.endsWith("/abort")));
    await reader.button("Yes").click();

    await reader.becomes(`document.querySelector(".ask-once") === null`);
    const aborts = fixture.asked.filter(({ path }) => path.endsWith("/abort")).map(({ path }) => path);
    assert.deepEqual(aborts, ["/api/v1/in-flight/flying/abort"]);
    await reader.close();
  });

  test("shows where a held run is, and after it was resumed its outcome with a link", async () => {
    const state = busyState();
    const [held = assert.fail()] = state.paused;
    const { reader } = await opened(state, { place: "&/breakpoints" });
    await reader.page.getByText(/^4\.20.s since it began: input → reserve, 1.Bus key$/).click();
    await reader.page.getByRole("table", { name: "Bus of the run" }).getByText("4200").waitFor();
    await reader.button("Resume").click();
    await reader.button("Yes").click();
    const outcome = reader.page.getByRole("status").filter({ hasText: "Resumed:" });
    await outcome.getByText("still running").waitFor();
    const [run = assert.fail()] = state.runs;
    state.runs.push({ ...run, run_id: held.run_id });

    await outcome.getByText("still running").waitFor({ state: "detached" });
    await outcome.getByRole("link", { name: held.run_id }).click();
    await reader.page.getByRole("table", { name: `Timeline of run ${held.run_id}` }).waitFor();
    await reader.close();
  });
});
