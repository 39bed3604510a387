// The events of the audit log on the Inspector's page.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../../support/browser.js";
import { rowOf } from "../../support/inspector-fixture-runs.js";
import { busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";

describe("the Inspector's page of audit events", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();

  test("lists the newest first, asks for older ones at a press, and shows forged rows as such", async () => {
    const { fixture, reader } = await opened(busyState(), { place: "&/audit" });
    const table = reader.page.getByRole("table", { name: "Audit events" });
    const rows = table.locator("tbody tr[data-row]");
    await rows.first().waitFor();
    assert.match(
      (await rows.first().textContent()) ?? "",
      /operator:e4ba15bc7411.*inspector\.run\.resume.*run-h1/,
    );
    assert.match((await rows.nth(3).textContent()) ?? "", /sealed Ab3_x-Z9…transfer\.book/);
    assert.match((await rows.nth(4).textContent()) ?? "", /eve\\u202egnirts.*<img src=x onerror=alert\(1\)>/);
    assert.match(
      (await rows.nth(6).textContent()) ?? "",
      /It was changed: its metadata is no canonical JSON/,
    );
    assert.match((await rows.nth(7).textContent()) ?? "", /changed/);
    assert.ok(((await rows.nth(5).boundingBox())?.height ?? 99) < 40, "a long text takes one line");
    await reader.sees("100 events, newest first");
    await reader.button("Older").click();
    await reader.sees("200 events, newest first");
    await reader.button("Older").click();
    await reader.sees("250 events, newest first");
    await reader.button("Older").waitFor({ state: "detached" });

    const before = fixture.asked.flatMap(({ path, query }) =>
      path.endsWith("/audit/events") ? [query.get("before")] : [],
    );
    assert.deepEqual(before, [null, "151", "51"]);
    // The whole log is verified only where its chain is looked at.
    assert.ok(!fixture.asked.some(({ path }) => path.endsWith("/audit/verify")));
    await reader.close();
  });

  test("filters by what is typed, has it in the address, and opens an event", async () => {
    const { fixture, reader } = await opened(busyState(), { place: "&/audit" });
    await reader.sees("100 events, newest first");
    await reader.page.getByLabel("Actor").fill("operator:e4ba15bc7411");
    await reader.page.keyboard.press("Enter");
    await reader.sees("2 events, newest first");
    assert.ok(reader.page.url().endsWith("/#/audit?actor=operator%3Ae4ba15bc7411"));
    await reader.page.getByText("inspector.run.resume").click();
    const drawer = reader.page.getByRole("complementary", { name: "Audit event 250" });
    await drawer.getByText("event-250").waitFor();
    await drawer.getByRole("link", { name: "all with this run" }).click();
    await reader.page.getByText("breakpoint:b1").waitFor();
    assert.equal(await reader.page.getByLabel("Run", { exact: true }).inputValue(), "run-h1");
    await reader.page.getByLabel("Run", { exact: true }).fill("nowhere");
    await reader.page.keyboard.press("Enter");
    await reader.sees("No match");

    await reader.page.getByLabel("From").fill("2026-01-31T12:00");
    await reader.page.getByLabel("From").blur();
    await reader.becomes(`location.hash.includes("since=")`);
    const since = fixture.asked.at(-1)?.query.get("since");
    assert.equal(since, String(await reader.page.evaluate(`Date.parse("2026-01-31T12:00")`)));
    await reader.close();
  });

  test("is one click from a run, a letter, a held run and a breakpoint", async () => {
    const { fixture, reader } = await opened(busyState());
    const run = rowOf(4, Date.now()).run_id;
    for (const [place, asked] of [
      [`/runs/${run}`, ["run", run]],
      ["/dead?letter=dl-0", ["target", "dl-0"]],
      ["/breakpoints", ["run", "run-h1"]],
    ] as const) {
      await reader.page.goto(`${fixture.url}/#${place}`);
      await reader.page.getByRole("link", { name: "Audit events" }).first().click();
      await reader.page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
      assert.equal(new URLSearchParams(reader.page.url().split("?")[1]).get(asked[0]), asked[1]);
    }
    await reader.page.getByText("inspector.run.resume").waitFor();
    await reader.page.goto(`${fixture.url}/#/breakpoints`);
    await reader.page
      .getByRole("table", { name: "Breakpoints" })
      .getByRole("link", { name: "Audit events" })
      .click();
    await reader.becomes(`location.hash.endsWith("/audit?target=place-order%2Freserve")`);
    await reader.close();
  });

  test("says to a viewer what it takes, and to all why the log cannot be read", async () => {
    const { fixture, reader } = await opened({ ...busyState(), role: "viewer" }, { place: "&/audit" });
    await reader.page.getByRole("alert").getByText("Requires the operator's token.").waitFor();
    fixture.state.role = "operator";
    fixture.state.broken = ["/api/v1/audit/events"];
    await reader.button("Retry").click();
    await reader.page.getByRole("alert").getByText("The store could not be read").waitFor();
    await reader.close();
  });
});
