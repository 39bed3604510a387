// What the Inspector's page says while an answer is on its way, or when none comes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page, Route } from "playwright-core";

import { skipWithoutBrowser } from "../../support/browser.js";
import { busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";
import { until } from "../../support/patience.js";

describe("the Inspector's page, while it waits,", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();

  /** Questions that wait until they are let go. */
  async function held(page: Page, path: RegExp): Promise<() => Promise<void>> {
    const waiting: Route[] = [];
    let isHeld = true;
    await page.route(path, (route) => (isHeld ? void waiting.push(route) : route.continue()));
    return async () => {
      isHeld = false;
      await Promise.all(waiting.splice(0).map((route) => route.continue()));
    };
  }

  test("has the heading of each view where it stays, and counts nothing that it does not know", async () => {
    const { fixture, reader } = await opened(busyState(), { place: "&/system" });
    const { page } = reader;
    const top = async () => (await page.getByRole("heading", { level: 1 }).boundingBox())?.y;
    const letGo = await held(page, /\/api\/v1\//);
    for (const place of ["overview", "circuits/place-order", `runs/${fixture.state.runs[0]?.run_id}`]) {
      const release = await held(page, /\/api\/v1\/(metrics|schematics|traces)/);
      await page.goto(`${fixture.url}/?${place}#/${place}`);
      await reader.sees(/^Loading/);
      const before = await top();
      await release();
      await page.locator("#view :is(.table, .schematic, .waterfall)").first().waitFor();
      // A letter of another font moves the line by half a pixel.
      assert.ok(Math.abs(((await top()) ?? 0) - (before ?? 0)) < 1, place);
      await page.unroute(/\/api\/v1\/(metrics|schematics|traces)/);
    }
    await page.goto(`${fixture.url}/?runs#/runs`);
    await reader.sees("Loading the runs…");
    assert.equal(await page.getByText(/^0\sruns|refreshes/).count(), 0);
    await page.getByRole("columnheader", { name: "Outcome" }).waitFor();
    await letGo();
    await reader.sees(/^100\+\sruns/);
    await reader.close();
  });

  test("says what it asked for where the server failed, and looks the same everywhere", async () => {
    const state = busyState();
    state.broken = ["/api/v1/breakpoints", "/api/v1/routes", "/api/v1/paused"];
    const { reader } = await opened(state, { place: "&/breakpoints" });
    for (const path of state.broken)
      await reader.page.getByRole("alert").getByText(`GET ${path}`, { exact: true }).waitFor();
    const height = async () => (await reader.button("Retry").first().boundingBox())?.height;
    const usual = await height();
    state.broken = ["/status"];
    await reader.view("System");
    await reader.page.getByRole("alert").getByText("GET /status", { exact: true }).waitFor();

    assert.equal(await height(), usual);
    await reader.close();
  });

  test("says that further runs did not come, and asks for them again by a key", async () => {
    const { reader } = await opened(busyState(), { place: "&/runs" });
    const { page } = reader;
    await page.route(/cursor=/, (route) => route.abort());
    await reader.sees(/^100\+\sruns/);
    await page
      .locator(".table")
      .evaluate((box) => (box as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 1e6));
    await page.getByRole("alert").getByText("No response from the server").waitFor();
    await page.unroute(/cursor=/);
    await reader.button("Retry").click();

    await reader.sees(/^200\+\sruns/);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await reader.close();
  });

  test("takes further runs of one filter for no other's, however late they come or fail", async () => {
    const { reader } = await opened(busyState(), { place: "&/runs" });
    const { page } = reader;
    const late = new Promise<Route>((resolve) => {
      void page.route(/cursor=/, (route) =>
        route.request().url().includes("order=slowest") ? route.continue() : resolve(route),
      );
    });
    const scrolledTo = (top: number) =>
      page
        .locator(".table")
        .evaluate(
          (box, y) => (box as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, y),
          top,
        );
    const toTheEnd = () => scrolledTo(1e6);
    await reader.sees(/^100\+\sruns/);
    await toTheEnd();
    const first = await late;
    const other = page.waitForResponse(/order=slowest/);
    await page.goto(`${page.url().split("#")[0]}#/runs?order=slowest`);
    await other;
    await reader.sees(/^100\+\sruns/);
    // The list of before has the same number of runs until the other one is drawn.
    await until("the other list goes on", async () => {
      // A list that is at its end already notices nothing.
      await scrolledTo(0);
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
      await toTheEnd();
      return (await page.getByText(/^200\+\sruns/).count()) > 0;
    });
    const failed = page.waitForEvent("requestfailed");
    await first.abort();
    await failed;
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");

    assert.equal(await page.getByRole("alert").count(), 0);
    await reader.close();
  });

  test("does not promise a feed that it has not", async () => {
    const state = busyState();
    const { fixture, reader } = await opened(state, { place: "&/live" });
    await reader.sees("No events yet");
    await fixture.stop();
    await reader.sees("No connection to the feed");

    assert.equal(await reader.page.getByText("No events yet").count(), 0);
    await fixture.start();
    await reader.sees("No events yet");
    reader.complaints.length = 0;
    await reader.close();
  });

  test("says that the feed is full and what helps, asks for what it would be told, and comes in when there is room", async () => {
    const state = busyState();
    state.feed = "full";
    const { fixture, reader } = await opened(state);
    const { page } = reader;
    await page.clock.install();
    await page.reload();
    const badge = (n: number) => page.getByRole("link", { name: `Alerts ${n}`, exact: true }).waitFor();
    await badge(2);
    const full = page.getByRole("status").getByRole("link", { name: "Feed full" });
    await full.waitFor();
    const tickets = () => fixture.asked.filter(({ path }) => path === "/api/v1/tickets").length;
    const before = tickets();
    state.stalls = [];
    await page.clock.fastForward(10_000);
    await badge(1);
    await full.click();
    await reader.sees("The live feed is full");
    await reader.sees(/Close an unused page/);
    assert.equal(await page.getByText(/No connection/).count(), 0);
    // The view's own.
    await page.clock.fastForward(5000);
    assert.equal(tickets(), before + 1);

    state.feed = "open";
    await page.clock.fastForward(30_000);
    await fixture.listened(2);
    await full.waitFor({ state: "detached" });
    await reader.sees("Following");
    await reader.close();
  });

  test("tells of a lost connection once, and not with every second of it", async () => {
    const { fixture, reader } = await opened(busyState());
    await fixture.listened();
    await reader.page.evaluate(`{
      globalThis.told = [];
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target.nodeType === 1 ? target : target.parentElement;
          const region = element?.closest("[role=status], [role=alert], [aria-live]");
          if (region?.closest(".top")) told.push(region.textContent);
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    }`);
    await fixture.stop();
    await reader.sees(/^No connection · data is .* old · reconnecting$/);
    await reader.page.evaluate("globalThis.ages = new Set()");
    await reader.becomes(`ages.add(document.querySelector(".health").textContent).size >= 4`);

    assert.deepEqual([...new Set((await reader.page.evaluate("told")) as string[])], ["No connection"]);
    reader.complaints.length = 0;
    await reader.close();
  });

  test("leaves room for the search on a narrow screen, and does not move it when the name comes", async () => {
    const { fixture, reader } = await opened(busyState(), { viewport: { width: 800, height: 700 } });
    const { page } = reader;
    const release = await held(page, /\/status$/);
    await page.goto(`${fixture.url}/?again#/`);
    const search = page.getByRole("combobox", { name: "Search or jump" });
    await search.waitFor();
    const before = (await search.boundingBox())?.x;
    await release();
    await page.locator(".service").getByText("orders").waitFor();
    assert.equal((await search.boundingBox())?.x, before);
    await fixture.stop();
    await reader.sees(/^No connection/);
    assert.ok(((await search.boundingBox())?.width ?? 0) >= 160);
    reader.complaints.length = 0;
    await reader.close();
  });

  test("lets nobody's own words be overwritten by a sample that comes late", async () => {
    const { fixture, reader } = await opened(busyState());
    const release = await held(reader.page, /\/routes\/sample$/);
    await reader.view("Send");
    await reader.sees("Loading a sample…");
    await reader.page.getByLabel("Body", { exact: true }).fill('{"mine":1}');
    await reader.sees("Edited by hand");
    await release();
    while (!fixture.asked.some(({ path }) => path.endsWith("/sample"))) await reader.page.waitForTimeout(20);
    await reader.button("Send").click();
    await reader.page.getByRole("table", { name: /^Timeline of run/ }).waitFor();

    assert.equal(await reader.page.getByLabel("Body", { exact: true }).inputValue(), '{"mine":1}');
    await reader.close();
  });

  test("lets a seed that is typed stand when a sample of another comes", async () => {
    const { reader } = await opened(busyState());
    const release = await held(reader.page, /\/routes\/sample$/);
    await reader.view("Send");
    await reader.sees("Loading a sample…");
    const seed = reader.page.getByLabel("Seed", { exact: true });
    await seed.fill("7");
    await release();
    await reader.sees(/^Valid sample, seed 42/);
    assert.equal(await seed.inputValue(), "7");
    await seed.press("Enter");

    await reader.sees(/^Valid sample, seed 7/);
    await reader.close();
  });

  test("lets nobody's own path be overwritten by a sample that comes late", async () => {
    const { fixture, reader } = await opened(busyState());
    const { page } = reader;
    const release = await held(page, /\/routes\/sample$/);
    const route = fixture.state.routes.find(({ parameters_schema }) => parameters_schema !== null);
    assert.ok(route !== undefined);
    await page.goto(
      `${page.url().split("#")[0]}#/send?route=${encodeURIComponent(`${route.method} ${route.path}`)}`,
    );
    await reader.sees("Loading a sample…");
    const path = page.getByLabel("Path", { exact: true });
    await path.fill("/orders/42");
    await reader.sees("Edited by hand");
    const answered = page.waitForResponse(/\/routes\/sample$/);
    await release();
    await answered;
    await reader.button("Send").click();
    await page.getByRole("table", { name: /^Timeline of run/ }).waitFor();

    assert.equal(await path.inputValue(), "/orders/42");
    await reader.close();
  });

  test("does not say of a run that it is not kept, because nobody answered", async () => {
    const { reader } = await opened(busyState());
    await reader.page.route(/\/api\/v1\/traces\/[^?]/, (route) => route.abort());
    await reader.view("Send");
    await reader.sees(/^Valid sample/);
    await reader.button("Send").click();
    await reader.page.getByRole("alert").getByText("No response from the server").waitFor();

    assert.equal(await reader.page.getByText(/No trace of the run/).count(), 0);
    await reader.page.unroute(/\/api\/v1\/traces\/[^?]/);
    await reader.page.getByRole("table", { name: /^Timeline of run/ }).waitFor();
    await reader.close();
  });

  for (const reducedMotion of ["reduce", "no-preference"] as const)
    test(`says that its own script did not come, with motion: ${reducedMotion}`, async () => {
      const { fixture, reader } = await opened(busyState(), { reducedMotion });
      const late = reader.page.getByText("Failed to load the page's script. Reload.");
      assert.equal(await late.count(), 0, "the page has taken its place");
      await reader.page.route(/\.js$/, (route) => route.abort());
      await reader.page.goto(`${fixture.url}/?again#/`);
      await late.waitFor();
      await reader.close();
    });
});
