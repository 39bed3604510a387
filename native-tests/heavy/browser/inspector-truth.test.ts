// What the Inspector's page says when things go on while somebody looks: stalls that end, runs
// that are under way, links that lead to what is gone, back and forward.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Route } from "playwright-core";

import { skipWithoutBrowser } from "../../support/browser.js";
import { metricsOf } from "../../support/inspector-fixture-data.js";
import { busyState, heldRun } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";
import type { InspectorReader } from "../../support/inspector-reader.js";

describe("the Inspector's page, while things go on,", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();
  const onPlace = (reader: InspectorReader, place: string) =>
    reader.page.goto(`${reader.page.url().split("#")[0]}#/${place}`);

  test("shows an operator what a step threw, with its stack", async () => {
    const state = busyState();
    const thrown = state.runs.find(({ fault }) => fault?.code === "OUT_OF_STOCK");
    const { reader } = await opened(state, { place: `&/runs/${thrown?.run_id}` });

    await reader.page
      .getByRole("region", { name: "Exception" })
      .getByText("at reserve (stock.js:7:3)")
      .waitFor();
    await reader.close();
  });

  test("takes a stall away as soon as it ends", async () => {
    const state = busyState();
    const { fixture, reader } = await opened(state, { place: "&/alerts" });
    await fixture.listened();
    const row = reader.page.getByRole("row", { name: /checkout · bicycle/ });
    await row.waitFor();
    const [stall] = state.stalls;
    assert.ok(stall !== undefined);
    state.stalls = [];
    fixture.emit([{ ...stall, kind: "stall_ended" }]);

    // Sooner than it asks again.
    await row.waitFor({ state: "detached", timeout: 5000 });
    await reader.sees("No stalled nodes");
    await reader.close();
  });

  test("does not bring a stall back by an answer that is older than its end", async () => {
    const state = busyState();
    const { fixture, reader } = await opened(state);
    const { page } = reader;
    await fixture.listened();
    const older = new Promise<() => Promise<void>>((held) => {
      const hold = async (route: Route) => {
        const response = await route.fetch();
        held(() => route.fulfill({ response }));
      };
      void page.route(/\/api\/v1\/stalls$/, hold, { times: 1 }).then(() => reader.view("Alerts"));
    });
    const letGo = await older;
    const row = page.getByRole("row", { name: /checkout · bicycle/ });
    await row.waitFor();
    const [stall] = state.stalls;
    assert.ok(stall !== undefined);
    fixture.emit([{ ...stall, kind: "stall_ended" }]);
    await row.waitFor({ state: "detached" });
    state.stalls = [];
    await page.evaluate(`{
      globalThis.isBack = false;
      new MutationObserver(() => (isBack ||= document.querySelector("#view td")?.textContent.includes("bicycle") ?? false))
        .observe(document.body, { subtree: true, childList: true });
    }`);
    await letGo();
    await reader.sees(/run for longer than (?!the threshold)/);

    assert.equal(await page.evaluate("isBack"), false);
    await reader.close();
  });

  test("says of a run that stalls where it is, and shows it when it has ended", async () => {
    const state = busyState();
    const { fixture, reader } = await opened(state, { place: "&/runs/run-s1" });
    await reader.sees(/^Still running, stalled at bicycle/);
    const [stall] = state.stalls;
    const [run] = state.runs;
    assert.ok(stall !== undefined && run !== undefined);
    state.stalls = [];
    await fixture.listened();
    fixture.emit([{ ...stall, kind: "stall_ended" }]);
    await reader.sees(/^Resumed and still running\. Its trace is shown when it ends, if it is stored\.$/);
    state.runs.unshift({ ...run, run_id: "run-s1" });

    await reader.page.getByRole("table", { name: "Timeline of run run-s1" }).waitFor();
    await reader.close();
  });

  test("gives a held run no more time than it has", async () => {
    const state = busyState();
    const { fixture, reader } = await opened(state, { place: "&/breakpoints" });
    await fixture.listened();
    // A clock that is ahead, as the time on screen is behind.
    const at = Date.now() + 60_000;
    const run = { ...heldRun(at, "h2"), since: at, until: at + 20_000 };
    state.paused.push(run);
    fixture.emit([{ kind: "node_paused", paused: run }]);

    const article = reader.page.getByRole("article", { name: "Run run-h2 held at reserve" });
    await article.getByText(/^20\ss left$/).waitFor();
    await reader.close();
  });

  test("says that a node or a letter of a link is not there", async () => {
    const { reader } = await opened(busyState(), { place: "&/circuits/place-order?node=gone" });
    await reader.sees("Unknown node gone in this circuit.");
    await onPlace(reader, "dead?letter=gone");
    await reader.sees(
      "Letter gone is not listed: re-driven, discarded, hidden by the filter, or beyond the limit.",
    );
    await reader.close();
  });

  test("has filters in its address, and follows it back and forward", async () => {
    const { reader } = await opened(busyState(), { place: "&/runs?min_us=90000000" });
    const longer = reader.page.getByLabel("Longer than");
    await longer.and(reader.page.locator('[aria-invalid="false"]')).waitFor();
    assert.equal(await longer.inputValue(), "90 s");
    await longer.fill("5 ms");
    await longer.press("Enter");
    await reader.page.waitForURL(/min_us=5000$/);
    await reader.page.goBack();
    await reader.page.waitForURL(/min_us=90000000$/);
    await reader.becomes(`document.querySelector(".longer").value === "90 s"`);
    await onPlace(reader, "runs?min_us=much");
    await reader.becomes(`document.querySelector(".longer").value === ""`);
    // What is no duration stays to be mended, whatever else changes.
    await longer.fill("5 parsecs");
    await reader.page
      .getByRole("checkbox", { name: /^Compare run/ })
      .first()
      .check();
    await reader.page.waitForURL(/mark=/);
    await reader.sees("Use a number with us, ms or s");
    assert.equal(await longer.inputValue(), "5 parsecs");

    await onPlace(reader, "dead");
    await reader.page.getByRole("searchbox", { name: "Filter" }).fill("ECONN");
    await reader.page.reload();
    await reader.sees(/^1\sletter$/);
    assert.equal(await reader.page.getByRole("searchbox", { name: "Filter" }).inputValue(), "ECONN");
    await reader.close();
  });

  test("keeps the order of a table still under the pointer, while its figures change", async () => {
    const { fixture, reader } = await opened(busyState());
    const { page } = reader;
    await fixture.listened(1);
    const rows = page.getByRole("table", { name: "Circuits" }).getByRole("row");
    const circuits = () => rows.evaluateAll((all) => all.slice(1).map((row) => row.getAttribute("data-row")));
    await rows.nth(2).hover();
    const before = await circuits();
    const metrics = metricsOf(fixture.state.loads, Date.now() + 1000);
    // The last one is now the worst.
    for (const window of metrics.circuits.find(({ circuit }) => circuit === before.at(-1))?.windows ?? [])
      Object.assign(window, { count: 999, per_second: 99, error_share: 1, errors: 999 });
    fixture.emit([{ kind: "metrics", metrics } as never]);
    await rows.filter({ hasText: "100\u00a0%" }).waitFor();

    assert.deepEqual(await circuits(), before);
    await page.mouse.move(5, 5);
    await page.waitForFunction(
      (name) => document.querySelector("tr[data-row]")?.getAttribute("data-row") === name,
      before.at(-1),
    );
    await reader.close();
  });

  test("folds idle circuits into one line that opens, and its address says so", async () => {
    const state = busyState();
    for (const load of state.loads.slice(1)) Object.assign(load, { perSecond: 0 });
    const { reader } = await opened(state);
    const rows = reader.page.getByRole("table", { name: "Circuits" }).locator("tbody tr[data-row]");
    const button = reader.button(new RegExp(`^\\S ${state.loads.length - 1} idle$`));
    await button.waitFor();
    assert.equal(await rows.count(), 1);

    await button.click();
    assert.equal(await rows.count(), state.loads.length);
    assert.match(reader.page.url(), /idle=shown/);
    await reader.close();
  });

  test("filters by outcome, status and code, which stand in the address, and colours errors alone red", async () => {
    const state = busyState();
    const at = state.runs.findIndex(({ fault }) => fault === null);
    const [run = assert.fail(), refused = assert.fail()] = [
      state.runs[at],
      state.runs.find(({ fault }) => fault !== null),
    ];
    const fault = { ...(refused.fault ?? assert.fail()), code: "STEP_PANIC", status: 500 };
    const request = { ...(run.request ?? assert.fail()), http_status: 500 };
    state.runs[at] = { ...run, status: "faulted", fault, request };
    const { reader } = await opened(state, {
      place: "&/runs?outcome=refused&http_status=4xx&code=ACCESS_DENIED",
    });
    const { page } = reader;
    const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr[data-row]");
    await rows.first().waitFor();
    const texts = await rows.allInnerTexts();
    assert.ok(
      texts.every((text) => /refused\s*ACCESS_DENIED at customers \(403\)/.test(text)),
      texts.join("; "),
    );
    assert.equal(await rows.locator(".fault").count(), 0);
    assert.equal(await page.getByLabel("Status").inputValue(), "4xx");

    await reader.button("Errors").click();
    await reader.sees("No match");
    await page.getByLabel("Code").fill("");
    await page.getByLabel("Status").fill("5xx");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await rows.first().waitFor();
    assert.match(page.url(), /outcome=error/);
    assert.match(page.url(), /http_status=5xx/);
    assert.equal(await rows.locator(".end.fault").count(), await rows.count());
    await page.getByLabel("Status").fill("9xx");
    await page.keyboard.press("Tab");
    assert.match(page.url(), /http_status=5xx/, "what is no status is not asked for");
    await reader.close();
  });

  test("keeps rows of the feed still under the pointer, or with the focus, and follows behind that", async () => {
    const { fixture, reader } = await opened(busyState(), { place: "&/live" });
    const { page } = reader;
    await fixture.listened(2);
    const emit = (run_id: string) =>
      fixture.emit([{ kind: "circuit_exit", run: { ...busyState().runs[0], run_id } } as never]);
    emit("run-1");
    await page.getByRole("link", { name: "run-1", exact: true }).hover();
    emit("run-2");
    await reader.button(/^1\snewer event: show$/).waitFor();
    assert.equal(await page.getByRole("link", { name: "run-2" }).count(), 0);
    await page.mouse.move(5, 5);
    await page.getByRole("link", { name: "run-2" }).waitFor();
    await page.keyboard.press("j");
    await page.locator("tr[data-active]:focus").waitFor();
    emit("run-3");
    await reader.button(/^1\snewer event: show$/).click();
    await page.getByRole("link", { name: "run-3" }).waitFor();
    await reader.close();
  });

  test("skips no level of headings, and names its tables and panels", async () => {
    const { fixture, reader } = await opened(busyState());
    const places = ["alerts", "system", "nowhere", `runs/${fixture.state.runs[0]?.run_id}`, "kept", "send"];
    for (const place of places) {
      await onPlace(reader, place);
      await reader.page.getByRole("heading", { level: 1 }).waitFor();
      await reader.page
        .getByText(/^Loading/)
        .first()
        .waitFor({ state: "detached" });
      const levels = (await reader.page.evaluate(
        `[...document.querySelectorAll("h1, h2, h3")].map(({ tagName }) => Number(tagName[1]))`,
      )) as number[];
      assert.equal(levels.filter((level) => level === 1).length, 1, place);
      for (const [n, level] of levels.entries())
        assert.ok(level <= (levels[n - 1] ?? 0) + 1, `${place}: ${levels}`);
      const nameless =
        await reader.page.evaluate(`[...document.querySelectorAll("table, [role=table], [role=tabpanel]")]
        .filter((one) => !one.ariaLabel).map((one) => one.outerHTML.slice(0, 80))`);
      assert.deepEqual(nameless, [], place);
    }
    await reader.close();
  });
});
