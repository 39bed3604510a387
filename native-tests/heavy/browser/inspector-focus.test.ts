// Where the focus is after something was done: it is never lost with what was pressed.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Route } from "playwright-core";

import { skipWithoutBrowser } from "../../support/browser.js";
import { breakpointAt, busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";
import type { InspectorReader } from "../../support/inspector-reader.js";

describe("the focus in the Inspector's page", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();
  const pressed = async (reader: InspectorReader, name: string) => {
    await reader.button(name).first().focus();
    await reader.page.keyboard.press("Enter");
  };
  const focused = (reader: InspectorReader, selector: string) =>
    reader.page.locator(`${selector}:focus`).waitFor({ state: "attached", timeout: 10_000 });

  test("returns to the button when its question is answered, with yes, with no or not at all", async () => {
    const { reader } = await opened(busyState(), { place: "&/breakpoints" });
    for (const answer of ["Escape", "No", "Yes"]) {
      await pressed(reader, answer === "Yes" ? "Enable" : "Resume");
      await focused(reader, ".ask-once .primary");
      if (answer === "Escape") await reader.page.keyboard.press("Escape");
      else await pressed(reader, answer);
      await reader.page.locator(".ask-once").waitFor({ state: "detached" });
      await focused(reader, "button");
      const name = await reader.page.locator("button:focus").innerText();
      assert.match(name, answer === "Yes" ? /^(Disable|Enable)$/ : /^Resume$/);
    }
    await reader.close();
  });

  test("goes to the next row when its row is taken away, is walked from there, and goes to the view when that was the last", async () => {
    const state = busyState();
    state.breakpoints = ["b1", "b2", "b3"].map((id) => breakpointAt(Date.now(), id));
    const { reader } = await opened(state, { place: "&/breakpoints" });
    const removed = async (next: string) => {
      await pressed(reader, "Delete");
      await pressed(reader, "Yes");
      await focused(reader, next);
    };
    await removed('tr[data-row="b2"]');
    await reader.page.keyboard.press("j");
    await focused(reader, 'tr[data-row="b3"]');
    await removed('tr[data-row="b3"]');
    await removed("#view");
    await reader.sees("No breakpoints");
    await reader.close();
  });

  test("stays in the view when what it was in is done and gone", async () => {
    const { reader } = await opened(busyState(), { place: "&/breakpoints" });
    await pressed(reader, "Resume");
    await pressed(reader, "Yes");
    await reader.sees("No held runs");
    await focused(reader, "#view");
    await reader.page.goto(`${reader.page.url().split("#")[0]}#/runs?node=place-order%2Fprice`);
    await pressed(reader, "Remove filter node");
    await focused(reader, "#view");
    await reader.close();
  });

  test("returns from a drawer to what opened it", async () => {
    const { reader } = await opened(busyState(), { place: "&/circuits/place-order" });
    await reader.page.getByRole("link", { name: /^reserve,/ }).focus();
    await reader.page.keyboard.press("Enter");
    await pressed(reader, "Close");
    await reader.page.getByRole("complementary").waitFor({ state: "detached" });

    await focused(reader, "a");
    const name = await reader.page.locator("a:focus").getAttribute("aria-label");
    assert.match(name ?? "", /^reserve,/);
    await reader.close();
  });

  test("returns from the list of keys to the button that opened it", async () => {
    const { reader } = await opened(busyState());
    for (const how of ["Escape", "Close"]) {
      await pressed(reader, "Keys");
      await reader.page.getByRole("dialog", { name: "Keys" }).waitFor();
      if (how === "Escape") await reader.page.keyboard.press("Escape");
      else await pressed(reader, "Close");
      await reader.page.getByRole("dialog").waitFor({ state: "detached" });
      await focused(reader, '[aria-label="Keys"]');
    }
    await reader.close();
  });

  test("is in the view that a row has opened, and Enter there opens nothing", async () => {
    const { reader } = await opened(busyState(), { place: "&/runs" });
    await reader.page.getByRole("row").nth(1).waitFor();
    await reader.page.keyboard.press("j");
    await focused(reader, "tr[data-active]");
    await reader.page.keyboard.press("Enter");
    await reader.page.getByRole("table", { name: /^Timeline of run/ }).waitFor();
    await focused(reader, "#view");
    const place = reader.page.url();
    await reader.page.keyboard.press("Enter");
    await reader.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");

    assert.equal(reader.page.url(), place);
    await focused(reader, "#view");
    await reader.close();
  });

  test("comes to whatever a row opens: a letter, and what a breakpoint has kept", async () => {
    const state = busyState();
    const [breakpoint] = state.breakpoints;
    assert.ok(breakpoint !== undefined);
    const input = { kind: "full", value: { total: 7 }, is_cut: false } as const;
    state.breakpoints = [{ ...breakpoint, snapshots: [{ run_id: "run-k", at: Date.now(), input }] }];
    const { reader } = await opened(state, { place: "&/dead?filter=STOCK" });
    await reader.page.getByRole("link", { name: "place-order · reserve" }).first().focus();
    await reader.page.keyboard.press("Enter");
    await reader.page.getByRole("complementary", { name: "Dead letter dl-0" }).waitFor();
    await reader.page.waitForURL(/dead\?filter=STOCK&letter=dl-0$/);
    await reader.view("Breakpoints");
    await pressed(reader, "1 of 1: snapshots at reserve");
    await reader.page
      .getByRole("complementary", { name: "Breakpoint at reserve" })
      .getByText("run-k")
      .waitFor();
    await reader.close();
  });

  test("is not put into a table that it has left, whatever becomes of the row", async () => {
    const state = busyState();
    const { reader } = await opened(state, { place: "&/runs" });
    await reader.page.getByRole("row").nth(1).waitFor();
    await reader.page.keyboard.press("j");
    await focused(reader, "tr[data-active]");
    // Where nothing takes the focus.
    await reader.page.mouse.click(20, 780);
    const [newest] = state.runs;
    assert.ok(newest !== undefined);
    state.runs = Array.from({ length: 9 }, (_, n) => ({ ...newest, run_id: `late-${n}` }));
    await reader.page.getByRole("link", { name: "late-0", exact: true }).waitFor();
    await reader.sees("refreshes every 3 s");

    assert.equal(await reader.page.locator("tr:focus").count(), 0);
    await reader.close();
  });

  test("comes from a row of the feed to what is newer, by a key, and from there to the view", async () => {
    const { fixture, reader } = await opened(busyState(), { place: "&/live" });
    const { page } = reader;
    await fixture.listened(2);
    const emit = (run_id: string) =>
      fixture.emit([{ kind: "circuit_exit", run: { ...busyState().runs[0], run_id } } as never]);
    emit("run-1");
    await page.getByRole("link", { name: "run-1", exact: true }).waitFor();
    await page.keyboard.press("j");
    await focused(reader, "tr[data-active]");
    emit("run-2");
    await reader.button(/^1\snewer event: show$/).waitFor();
    await reader.sees("Holds still while a row is read: new events wait above");
    await page.keyboard.press("Shift+Tab");
    await focused(reader, ".newer");
    await page.keyboard.press("Enter");

    await page.getByRole("link", { name: "run-2", exact: true }).waitFor();
    await reader.sees("Following");
    await focused(reader, "#view");
    await reader.close();
  });

  test("goes to the view when what has it is taken away, by an answer that came late or by what happens elsewhere", async () => {
    const state = busyState();
    state.broken = ["/api/v1/alerts"];
    const { fixture, reader } = await opened(state, { place: "&/alerts" });
    const { page } = reader;
    await fixture.listened();
    await page.getByRole("alert").waitFor();
    const asked = new Promise<Route>((held) => {
      void page.route(/\/api\/v1\/alerts$/, held, { times: 1 });
    });
    await pressed(reader, "Retry");
    const route = await asked;
    // As long as it takes: what was pressed is there still.
    await reader.becomes("document.querySelector('.wrong button') === document.activeElement");
    await page.evaluate("new Promise((waited) => setTimeout(waited, 300))");
    state.broken = [];
    await route.continue();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await focused(reader, "#view");

    await reader.view("Breakpoints");
    const [held] = state.paused;
    assert.ok(held !== undefined);
    await page.getByRole("textbox", { name: /input/i }).first().focus();
    state.paused = [];
    fixture.emit([{ ...held, kind: "node_resumed", how: "expired" } as never]);
    await reader.sees("No held runs");
    await focused(reader, "#view");
    await reader.close();
  });

  test("stays on the button that sends a request, and does not send it twice", async () => {
    const { fixture, reader } = await opened(busyState(), { place: "&/send" });
    const { page } = reader;
    await reader.sees(/^Valid sample/);
    const relayed = new Promise<Route>((held) => {
      void page.route(/\/relay$/, held, { times: 1 });
    });
    await pressed(reader, "Send");
    const route = await relayed;
    await reader.sees("Loading the response…");
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    await page.keyboard.press("Enter");
    await route.continue();
    await page.getByRole("table", { name: /^Timeline of run/ }).waitFor();

    await focused(reader, "button[type=submit]");
    assert.equal(fixture.asked.filter(({ path }) => path === "/api/v1/relay").length, 1);
    await reader.close();
  });

  test("stays on a row of breakpoints while runs come to them", async () => {
    const state = busyState();
    const { fixture, reader } = await opened(state, { place: "&/breakpoints" });
    await fixture.listened();
    await pressed(reader, "Delete");
    await focused(reader, ".ask-once .primary");
    for (let hits = 2; hits < 5; hits += 1) {
      const [first] = state.breakpoints;
      assert.ok(first !== undefined);
      state.breakpoints = [{ ...first, hits, max_hits: 9 }];
      fixture.emit([{ kind: "breakpoint", change: "changed", breakpoint: state.breakpoints[0] } as never]);
      await reader.page.getByRole("cell", { name: `${hits} of 9` }).waitFor();
    }
    await focused(reader, ".ask-once .primary");
    await reader.close();
  });

  test("stays with what is moved, as a row that is ordered anew", async () => {
    const { reader } = await opened(busyState(), { place: "&/runs" });
    await reader.page.getByLabel("Longer than").focus();
    // By the way that loses it in each browser.
    await reader.page.evaluate(`{
      const moved = document.activeElement.parentElement;
      moved.parentElement.insertBefore(moved, moved.parentElement.firstChild);
    }`);
    await focused(reader, ".longer");
    await reader.close();
  });

  test("leaves the focus in a row of runs where it is, however many come", async () => {
    const state = busyState();
    const { reader } = await opened(state);
    await reader.view("Runs");
    const [newest] = state.runs;
    assert.ok(newest !== undefined);
    await reader.page.getByRole("link", { name: newest.run_id, exact: true }).waitFor();
    await reader.page.keyboard.press("j");
    await reader.page.locator("tr[data-active]:focus").waitFor();
    await reader.sees("paused while a row is read");
    state.runs.unshift(...Array.from({ length: 90 }, (_, n) => ({ ...newest, run_id: `late-${n}` })));
    // Longer than it takes to ask again.
    await reader.page.waitForTimeout(3500);
    await reader.page.locator("tr[data-active]:focus").waitFor();
    await reader.page.getByRole("searchbox").or(reader.page.getByLabel("Longer than")).last().focus();
    await reader.page.getByRole("link", { name: "late-0", exact: true }).waitFor();
    await reader.close();
  });

  test("cannot get to what a row does else while the row asks", async () => {
    const { reader } = await opened(busyState(), { place: "&/breakpoints" });
    await reader.button("Delete").click();
    await reader.page.getByRole("group", { name: /^Delete breakpoint/ }).waitFor();
    assert.equal(await reader.button("Enable").count(), 0);

    await reader.button("No").click();
    await reader.button("Enable").waitFor();
    await reader.close();
  });
});
