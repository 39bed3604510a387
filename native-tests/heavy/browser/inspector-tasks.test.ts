// The twenty tasks of the Inspector's page: each in three clicks or less, from the overview.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";

import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";
import { InspectorFixture } from "../../support/inspector-fixture.js";
import { metricsOf } from "../../support/inspector-fixture-data.js";
import { busyState, heldRun } from "../../support/inspector-fixture-state.js";
import { InspectorReader } from "../../support/inspector-reader.js";

const MOST_CLICKS = 3;

describe("with the Inspector's page somebody", { skip: skipWithoutBrowser }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  function task(
    name: string,
    doIt: (reader: InspectorReader, fixture: InspectorFixture) => Promise<void>,
  ): void {
    test(`${name}, in three clicks or less`, async () => {
      const fixture = await new InspectorFixture(busyState()).start();
      try {
        const reader = await InspectorReader.open(browser, fixture.link());
        await reader.page.getByRole("table", { name: "Circuits" }).waitFor();
        await doIt(reader, fixture);

        const clicks = await reader.clicks();
        assert.ok(clicks <= MOST_CLICKS, `it took ${clicks} clicks`);
        await reader.close();
      } finally {
        await fixture.stop();
      }
    });
  }
  const rowOf = (reader: InspectorReader, name: string | RegExp) =>
    reader.page.getByRole("row", { name }).first();
  const sent = (fixture: InspectorFixture, path: string) =>
    fixture.asked.find((one) => one.method !== "GET" && one.path === path)?.body;

  task("finds the slowest node", async (reader) => {
    await rowOf(reader, /^place-order/)
      .getByRole("link", { name: /^reserve/ })
      .waitFor();
  });

  task("reads that node's p99 over the last minute", async (reader) => {
    await rowOf(reader, /^place-order/)
      .getByRole("link", { name: /^reserve/ })
      .click();
    const figures = reader.page.getByRole("table", { name: "Figures of reserve" });
    await figures.waitFor();

    assert.match(
      await figures.getByRole("row", { name: /^p99 / }).getByRole("cell").last().innerText(),
      /^\d\S*\sms$/,
    );
    assert.equal(await figures.getByRole("columnheader").last().innerText(), "60\u00a0s");
  });

  task("learns why a request got 403", async (reader) => {
    await reader.view("Runs");
    await reader.page.getByText("ACCESS_DENIED at customers (403)").first().click();

    await reader.sees("customers: 403, The policy wants the role customer; the token has viewer");
  });

  task("learns which guard rejects most", async (reader) => {
    await rowOf(reader, /^place-order/)
      .getByRole("link", { name: /^RateLimitGuard 1/ })
      .waitFor();
  });

  task("sees one run as a waterfall", async (reader) => {
    await reader.view("Runs");
    await rowOf(reader, /completed/)
      .getByText("completed")
      .click();
    const waterfall = reader.page.getByRole("table", { name: /^Timeline of run/ });
    await waterfall.waitFor();

    assert.equal(await waterfall.getByRole("row").count(), 1 + 9);
  });

  task("sees what that run read from the Bus and wrote to it", async (reader) => {
    await reader.view("Runs");
    await rowOf(reader, /completed/)
      .getByText("completed")
      .click();
    await reader.page.getByRole("tab", { name: "Steps" }).click();

    await rowOf(reader, "price write Subtotal 4200").waitFor();
  });

  task("sees the payload of one node", async (reader) => {
    await reader.view("Runs");
    await rowOf(reader, /completed/)
      .getByText("completed")
      .click();
    await reader.button(/^accept, next/).click();

    await reader.page.getByRole("region", { name: "the input of accept" }).getByText('"Ada"').waitFor();
  });

  task("finds a run by its request id, and runs by a code", async (reader) => {
    const { request } = busyState().runs[3] as ReturnType<typeof busyState>["runs"][number];
    await reader.page.keyboard.press("/");
    await reader.page.keyboard.type(request?.request_id ?? "");
    await reader.page.getByRole("option", { name: /request id req-3$/ }).waitFor();
    await reader.page.keyboard.press("Enter");
    await reader.page.waitForURL(/#\/runs\/\w/);
    await reader.page.keyboard.press("/");
    await reader.page.keyboard.type("access_denied");
    await reader.page.getByRole("option", { name: /^runs All with code ACCESS_DENIED/ }).click();

    assert.match(reader.page.url(), /#\/runs\?code=ACCESS_DENIED$/);
  });

  task("searches the texts of runs, and of older ones", async (reader) => {
    await reader.page.keyboard.press("/");
    await reader.page.keyboard.type("stock");
    await reader.page.getByRole("option", { name: /^search stock/ }).click();
    await rowOf(reader, /OUT_OF_STOCK/).waitFor();
    await reader.page.getByRole("link", { name: "Search older runs" }).click();
    await reader.sees("No match");
    await reader.page.goBack();
    await rowOf(reader, /OUT_OF_STOCK/).waitFor();
  });

  task("compares two runs", async (reader) => {
    await reader.view("Runs");
    await rowOf(reader, /completed/)
      .getByRole("checkbox")
      .check();
    await rowOf(reader, /ACCESS_DENIED/)
      .getByRole("checkbox")
      .click();

    await reader.sees("First difference at step 4 (outcome): a left customers by next, b by fault");
  });

  task("compares a failed run with the last completed one of its route", async (reader) => {
    await reader.view("Runs");
    await rowOf(reader, /OUT_OF_STOCK/)
      .getByRole("link")
      .click();
    await reader.page.getByRole("link", { name: "Compare with the last completed run" }).click();
    await reader.sees(/^First difference at step \d+ \(outcome\)/);
    await reader.page.getByRole("button", { name: "Payloads of step 4, customers" }).press("Enter");
    await reader.sees("Different in any two runs (ids, times, limits): ");

    assert.match(reader.page.url(), /\?open=3$/);
    assert.equal(await reader.page.getByRole("region", { name: "the input of customers" }).count(), 2);
  });

  task("finds the slowest runs of a route", async (reader) => {
    await reader.page.keyboard.press("/");
    await reader.page.keyboard.type("post /orders");
    await reader.page.getByRole("option", { name: /POST \/orders/ }).waitFor();
    await reader.page.keyboard.press("Enter");
    await reader.button("Slowest").click();
    await reader.sees("slowest first");

    assert.match(reader.page.url(), /#\/runs\?order=slowest&route=POST\+%2Forders$/);
  });

  task("follows the live feed of one circuit", async (reader, fixture) => {
    await rowOf(reader, /^place-order/)
      .getByRole("link", { name: "place-order" })
      .click();
    await reader.page.getByRole("main").getByRole("link", { name: "Live" }).click();
    await reader.sees("Following");
    while (
      !fixture.subscriptions.some((one) => one.type === "subscribe" && one.circuits?.[0] === "place-order")
    )
      await reader.page.waitForTimeout(20);
    fixture.emit([{ kind: "circuit_exit", run: { ...busyState().runs[0], run_id: "live-1" } as never }]);

    await reader.page.getByRole("link", { name: "live-1" }).waitFor();
  });

  task("holds the next run that matches a condition", async (reader, fixture) => {
    await reader.page.keyboard.press("/");
    await reader.page.keyboard.type("price");
    await reader.page.getByRole("option", { name: /node price place-order/ }).waitFor();
    await reader.page.keyboard.press("Enter");
    await reader.page.getByRole("link", { name: "Set a breakpoint…" }).click();
    await reader.page.locator(".condition input:focus").waitFor();
    await reader.page.keyboard.type("total > 100");
    await reader.button("Arm").click();
    await reader.button("Yes").click();
    await rowOf(reader, /place-order · price total > 100 .* armed/).waitFor();

    assert.deepEqual(sent(fixture, "/api/v1/breakpoints"), {
      ...{
        node_id: "place-order/price",
        mode: "hold",
        max_hits: 1,
        hold_ms: 20_000,
        condition: "total > 100",
      },
    });
  });

  task("steps a held run", async (reader, fixture) => {
    await reader.view("Breakpoints");
    await reader.button("Step").click();
    await reader.button("Yes").click();
    await reader.sees("No held runs");
    assert.deepEqual(sent(fixture, "/api/v1/paused/h1/step"), {});
    const next = { ...heldRun(Date.now(), "h2"), node_id: "place-order/accept" };
    fixture.state.paused.push(next);
    fixture.emit([{ kind: "node_paused", paused: next }]);

    await reader.page.getByRole("article", { name: "Run run-h2 held at accept" }).waitFor();
  });

  task("edits the payload of a held run and lets it go", async (reader, fixture) => {
    await reader.view("Breakpoints");
    const input = reader.page.getByRole("textbox", { name: "Input of reserve" });
    await input.fill((await input.inputValue()).replace('"Ada"', '"Grace"'));
    await reader.button("Resume").click();
    await reader.sees("Resume the run with the edited input?");
    await reader.button("Yes").click();
    await reader.sees("No held runs");

    const body = sent(fixture, "/api/v1/paused/h1/resume") as { input: { customer: string; card: string } };
    assert.deepEqual([body.input.customer, body.input.card], ["Grace", "[redacted]"]);
  });

  task("lets a held run go as it is", async (reader, fixture) => {
    await reader.view("Breakpoints");
    await reader.button("Resume").click();
    await reader.button("Yes").click();
    await reader.sees("No held runs");

    assert.deepEqual(sent(fixture, "/api/v1/paused/h1/resume"), {});
  });

  task("re-drives a dead letter", async (reader) => {
    await reader.view("Dead letters");
    await rowOf(reader, /STOCK_UNREACHABLE/)
      .getByRole("button", { name: "Re-drive" })
      .click();
    await reader.button("Yes").click();

    await rowOf(reader, /STOCK_UNREACHABLE.* done/).waitFor();
  });

  task("sends a valid sample to a route", async (reader, fixture) => {
    await reader.view("Send");
    await reader.sees("Valid sample, seed 42");
    await reader.button("Send").click();
    await reader.page.getByRole("table", { name: /^Timeline of run/ }).waitFor();

    const { body, ...rest } = sent(fixture, "/api/v1/relay") as { body: string };
    assert.deepEqual(rest, {
      ...{ method: "POST", path: "/orders", headers: { "content-type": "application/json" } },
    });
    assert.deepEqual(JSON.parse(body), { customer: "c42", lines: [{ sku: "K-2", qty: 1 }] });
  });

  task("sends the request of a failed run again, and compares both runs", async (reader, fixture) => {
    const { page } = reader;
    await reader.view("Runs");
    await rowOf(reader, /OUT_OF_STOCK/)
      .getByText("OUT_OF_STOCK")
      .first()
      .click();
    await page.getByRole("region", { name: "the request body" }).getByText('"Ada"').waitFor();
    await page.getByRole("link", { name: "Send again" }).click();
    await reader.sees("Required, masked in the run:");
    assert.ok(await reader.button("Send").isDisabled());

    const headers = page.getByRole("textbox", { name: "Headers" });
    await headers.fill((await headers.inputValue()).replace("authorization: ", "authorization: Bearer t-1"));
    const body = page.getByRole("textbox", { name: "Body" });
    await body.fill((await body.inputValue()).replace('"card": ""', '"card": "4111"'));
    await page.goBack();
    await page.getByRole("link", { name: "Send again" }).click();
    assert.match(await body.inputValue(), /"card": "4111"/, "kept over Back");
    assert.match(await headers.inputValue(), /Bearer t-1/);
    await reader.button("Send").click();
    await page.getByRole("link", { name: "Compare both runs" }).waitFor();

    const { path, headers: lines } = sent(fixture, "/api/v1/relay") as Record<string, unknown>;
    assert.equal(path, "/orders?coupon=SPRING");
    assert.deepEqual(lines, {
      ...{ "x-tenant": "north", authorization: "Bearer t-1", "content-type": "application/json" },
    });
    const stored = await page.evaluate(() => sessionStorage.getItem("inspector.drafts") ?? "");
    assert.doesNotMatch(stored, /t-1|4111/);
    const recent = page.getByRole("combobox", { name: "Recent requests" });
    assert.match((await recent.locator("option").last().textContent()) ?? "", /POST \/orders\?coupon=SPRING/);
    await page.reload();
    await reader.sees("Required, masked in the run:");
    assert.equal(await headers.getAttribute("aria-invalid"), "true");
    assert.match(await body.inputValue(), /"Ada"/, "kept over a reload");
  });

  task("sends an edge sample", async (reader, fixture) => {
    await reader.view("Send");
    await reader.button("Edge case").click();
    await reader.sees("Edge case, invalid, seed 42: /lines/0/qty: below its minimum of 1");
    await reader.button("Send").click();
    await reader.page.getByRole("table", { name: /^Timeline of run/ }).waitFor();

    const { body } = sent(fixture, "/api/v1/relay") as { body: string };
    assert.equal((JSON.parse(body) as { lines: { qty: number }[] }).lines[0]?.qty, 0);
  });

  task("sees a stall", async (reader) => {
    await reader.view("Alerts");
    await rowOf(reader, /checkout · bicycle .* POST \/checkout/).waitFor();
  });

  task("sees an alert and its cause", async (reader) => {
    await reader.view("Alerts");
    const alert = reader.page.getByRole("article", { name: "Error rate of place-order" });
    await alert.getByText("8.3 % of 24 720 runs faulted in 60 s; at most 5 % may").waitFor();

    assert.equal(await alert.getByRole("link").count(), 3);
  });

  task("sees what the server is", async (reader) => {
    await reader.view("System");
    await rowOf(reader, /^Framework 0\.30\.0/).waitFor();
    await rowOf(reader, /^breakpoints available/).waitFor();
    await rowOf(reader, /^Native server 20\.51\.4/).waitFor();
  });

  test("has figures that the feed keeps fresh", async () => {
    const state = busyState();
    const fixture = await new InspectorFixture(state).start();
    const reader = await InspectorReader.open(browser, fixture.link());
    await reader.page.getByRole("table", { name: "Circuits" }).waitFor();
    await fixture.listened();
    const loads = state.loads.map((load) => ({ ...load, perSecond: 7 }));
    fixture.emit([{ kind: "metrics", metrics: metricsOf(loads, Date.now() + 60_000) }]);
    await rowOf(reader, /^place-order 7\/s/).waitFor();

    await reader.close();
    await fixture.stop();
  });
});
