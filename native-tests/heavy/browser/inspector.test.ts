// The twenty tasks once more, with a service that runs and its own Inspector.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";

import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";
import { type InspectedShop, inspectedShop } from "../../support/inspected-shop.js";
import { InspectorReader } from "../../support/inspector-reader.js";

const MOST_CLICKS = 3;

describe("of a service that runs, with its Inspector's page, somebody", { skip: skipWithoutBrowser }, () => {
  let browser: Browser;
  let shop: InspectedShop;
  before(async () => {
    shop = await inspectedShop();
    await orders();
    await fetch(`${shop.url}/book`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ customer: "Ada", total: 7 }),
    });
    browser = await launchBrowser();
  });
  afterEach(async () => {
    const { paused } = await shop.ask("GET", "paused");
    for (const { id } of paused) await shop.ask("POST", `paused/${id}/abort`, {});
  });
  after(async () => {
    await browser?.close();
    await shop?.close();
  });

  /** More than a p99 needs, and some that are refused. */
  async function orders(): Promise<void> {
    for (let n = 0; n < 130; n += 10)
      await Promise.all(
        Array.from({ length: 10 }, async (_, at) =>
          (await shop.order(1 + n + at, at === 3 ? "stranger" : "customer")).text(),
        ),
      );
  }

  function task(name: string, doIt: (reader: InspectorReader) => Promise<void>): void {
    test(`${name}, in three clicks or less`, async () => {
      const reader = await InspectorReader.open(browser, shop.link);
      await reader.page.getByRole("table", { name: "Circuits" }).waitFor();
      await doIt(reader);

      const clicks = await reader.clicks();
      assert.ok(clicks <= MOST_CLICKS, `it took ${clicks} clicks`);
      await reader.close();
    });
  }
  const rowOf = (reader: InspectorReader, name: RegExp) => reader.page.getByRole("row", { name }).first();

  /** An order that waits at a node, and what will come of it. */
  async function heldOrder(total: number): Promise<{ readonly answer: Promise<Response> }> {
    await shop.ask("POST", "breakpoints", { node_id: "order/price", hold_ms: 60_000 });
    const answer = shop.order(total);
    while ((await shop.ask("GET", "paused")).paused.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return { answer };
  }

  // Figures are of the last minute, and the tests before may have taken one.
  task("finds the slowest node", async (reader) => {
    await orders();
    await rowOf(reader, /^order /)
      .getByRole("link", { name: /^reserve/ })
      .waitFor();
  });

  task("reads its p99 over the last minute", async (reader) => {
    await orders();
    await rowOf(reader, /^order /)
      .getByRole("link", { name: /^reserve/ })
      .click();
    const figures = reader.page.getByRole("table", { name: "Figures of reserve" });
    await figures.waitFor();

    assert.match(
      await figures.getByRole("row", { name: /^p99 / }).getByRole("cell").last().innerText(),
      /^\d/,
    );
    const chart = reader.page.getByRole("figure", { name: /^p50 and p99 of / });
    await chart.focus();
    await reader.page.keyboard.press("ArrowLeft");
    await chart.getByText(/^\d\d:\d\d:\d\d · p99 .* · p50 \d/).waitFor();
  });

  task("learns why a request got 403", async (reader) => {
    await reader.view("Runs");
    await reader.page.getByText("ROLE_INSUFFICIENT at iam (403)").first().click();
    await reader.sees(/^iam: 403, missing role/);
  });

  task("learns how many requests no route matched, and which", async (reader) => {
    for (const path of ["/one", "/two"]) await fetch(shop.url + path);
    await fetch(`${shop.url}/orders`, { method: "DELETE" });
    const tile = reader.page
      .locator(".totals > div")
      .filter({ hasText: "Unmatched" })
      .getByRole("link", { name: "3", exact: true });
    await tile.click();
    const table = reader.page.getByRole("table", { name: "Unmatched requests" });
    await table.getByRole("row", { name: /405 DELETE \/orders METHOD_NOT_ALLOWED/ }).waitFor();
    await reader.button("404").click();
    await table.getByText("405").waitFor({ state: "detached" });

    assert.deepEqual(await table.getByRole("row").getByRole("cell", { name: /^\// }).allInnerTexts(), [
      "/two",
      "/one",
    ]);
  });

  task("learns which guard rejects most", async (reader) => {
    await orders();
    await rowOf(reader, /^order /)
      .getByRole("link", { name: /^iam \d\d$/ })
      .waitFor();
  });

  task("sees a run as a waterfall, and what it read from the Bus and wrote to it", async (reader) => {
    await reader.view("Runs");
    await rowOf(reader, /\/orders completed/)
      .getByText("completed")
      .click();
    await reader.page.getByRole("table", { name: /^Timeline of run/ }).waitFor();
    await reader.page.getByRole("tab", { name: "Steps" }).click();
    await rowOf(reader, /^price write Subtotal \d+$/).waitFor();
    await rowOf(reader, /^reserve read Subtotal \d+$/).waitFor();
  });

  task("sees the payload of one node", async (reader) => {
    await reader.view("Runs");
    await rowOf(reader, /\/orders completed/)
      .getByText("completed")
      .click();
    await reader.button(/^accept, next/).click();

    await reader.page.getByRole("region", { name: "the output of accept" }).getByText('"accepted"').waitFor();
  });

  task("learns what refused requests have in common, and opens their runs", async (reader) => {
    await fetch(`${shop.url}/order`, { method: "POST" });
    await reader.button("Since start").click();
    const table = reader.page.getByRole("table", { name: "Refusals in common" });
    await table.getByRole("row", { name: /^No route POST \/orders exists/ }).waitFor();
    await table.getByRole("row", { name: /^Client / }).waitFor();
    await table.getByText("ROLE_INSUFFICIENT", { exact: true }).click();
    await rowOf(reader, /ROLE_INSUFFICIENT/).waitFor();

    assert.match(reader.page.url(), /#\/runs\?code=ROLE_INSUFFICIENT&outcome=refused$/);
  });

  task("finds runs by a text of their payloads", async (reader) => {
    await reader.page.keyboard.press("/");
    await reader.page.keyboard.type("ada");
    await reader.page.getByRole("option", { name: /^search ada/ }).click();
    await rowOf(reader, /\/customer Ada$/).click();
    await reader.page.getByRole("table", { name: /^Timeline of run/ }).waitFor();
  });

  task("compares a refused run with the last completed one of its route", async (reader) => {
    await reader.view("Runs");
    await reader.page.getByText("ROLE_INSUFFICIENT at iam (403)").first().click();
    await reader.page.getByRole("link", { name: "Compare with the last completed run" }).click();
    await reader.sees(/^First difference at step \d+ \((?:outcome|node)\)/);
  });

  task("compares two runs", async (reader) => {
    await reader.view("Runs");
    await rowOf(reader, /\/orders completed/)
      .getByRole("checkbox")
      .check();
    await rowOf(reader, /ROLE_INSUFFICIENT/)
      .getByRole("checkbox")
      .click();

    await reader.sees(/^First difference at step \d/);
  });

  task("finds the slowest runs of a route", async (reader) => {
    await reader.page.keyboard.press("/");
    await reader.page.keyboard.type("post /orders");
    await reader.page.getByRole("option", { name: /POST \/orders/ }).waitFor();
    await reader.page.keyboard.press("Enter");
    await reader.button("Slowest").click();
    await reader.sees(/slowest first/);
    await rowOf(reader, /\/orders completed/).waitFor();
  });

  task("follows the live feed of one circuit", async (reader) => {
    await rowOf(reader, /^order /)
      .getByRole("link", { name: "order", exact: true })
      .click();
    await reader.page.getByRole("main").getByRole("link", { name: "Live" }).click();
    await reader.sees("Following");
    // Until the subscription has reached the server.
    const seen = reader.page.getByRole("row", { name: /run POST \/orders completed/ }).first();
    while (!(await seen.isVisible())) await (await shop.order(5)).text();
  });

  task("holds the next run that matches a condition", async (reader) => {
    await reader.page.keyboard.press("/");
    await reader.page.keyboard.type("reserve");
    await reader.page.getByRole("option", { name: /node reserve order/ }).waitFor();
    await reader.page.keyboard.press("Enter");
    await reader.page.getByRole("link", { name: "Set a breakpoint…" }).click();
    await reader.page.locator(".condition input:focus").waitFor();
    await reader.page.keyboard.type("total > 450");
    await reader.button("Arm").click();
    await reader.button("Yes").click();
    await rowOf(reader, /order · reserve total > 450 .* armed/).waitFor();
    await (await shop.order(20)).text();
    const answer = shop.order(470);
    await reader.page.getByRole("article", { name: /held at reserve$/ }).waitFor();

    assert.match(await reader.page.getByRole("textbox", { name: "Input of reserve" }).inputValue(), /470/);
    await shop.ask("POST", `paused/${(await shop.ask("GET", "paused")).paused[0].id}/resume`, {});
    assert.equal((await answer).status, 200);
  });

  task("steps a held run", async (reader) => {
    const { answer } = await heldOrder(30);
    await reader.view("Breakpoints");
    await reader.button("Step").click();
    await reader.button("Yes").click();
    await reader.page.getByRole("article", { name: /held at reserve$/ }).waitFor();

    await shop.ask("POST", `paused/${(await shop.ask("GET", "paused")).paused[0].id}/resume`, {});
    assert.equal((await answer).status, 200);
  });

  task("edits the payload of a held run and lets it go", async (reader) => {
    const { answer } = await heldOrder(31);
    await reader.view("Breakpoints");
    await reader.page
      .getByRole("textbox", { name: "Input of price" })
      .fill('{ "customer": "Grace", "total": 99 }');
    await reader.button("Resume").click();
    await reader.button("Yes").click();
    await reader.sees("No held runs");

    assert.deepEqual(await (await answer).json(), { customer: "Grace", total: 99, accepted: true });
  });

  task("lets a held run go as it is", async (reader) => {
    const { answer } = await heldOrder(32);
    await reader.view("Breakpoints");
    await reader.button("Resume").click();
    await reader.button("Yes").click();
    await reader.sees("No held runs");

    assert.deepEqual(await (await answer).json(), { customer: "Ada", total: 32, accepted: true });
  });

  task("re-drives a dead letter", async (reader) => {
    shop.ledger.isOpen = true;
    await reader.view("Dead letters");
    await rowOf(reader, /SHOP_CLOSED/)
      .getByRole("button", { name: "Re-drive" })
      .click();
    await reader.button("Yes").click();

    await rowOf(reader, /SHOP_CLOSED.* done/).waitFor();
  });

  task("sends a valid sample to a route", async (reader) => {
    shop.ledger.isOpen = true;
    await reader.view("Send");
    await reader.sees(/^Valid sample, seed \d+$/);
    await reader.button("Send").click();
    await reader.page.getByRole("table", { name: /^Timeline of run/ }).waitFor();

    assert.equal(await reader.page.locator(".answer .status").innerText(), "200");
  });

  task("sends an edge sample", async (reader) => {
    await reader.view("Send");
    await reader.sees(/^Valid sample, seed \d+$/);
    await reader.button("Edge case").click();
    await reader.sees(/^Edge case, (in)?valid, seed/);
    await reader.button("Send").click();

    assert.match(await reader.page.locator(".answer .status").innerText(), /^(200|400|413|422|503)$/);
  });

  task("sees a stall, and the alert of it with its cause", async (reader) => {
    const controller = new AbortController();
    const waiting = fetch(`${shop.url}/wait`, { signal: controller.signal }).catch(() => undefined);
    await reader.view("Alerts");
    await rowOf(reader, /^wait · wait .* GET \/wait/).waitFor();
    await reader.page
      .getByRole("article", { name: "'wait' is stalled" })
      .getByText(/has not left it.*; at most/)
      .first()
      .waitFor();
    controller.abort();
    await waiting;
  });

  test("runs a run again from a step, by credentials of its own, and finds the reason where it cannot", async () => {
    await (await shop.order(7)).text();
    const { traces } = await shop.ask("GET", "traces?circuit=order&outcome=completed&limit=1");
    const reader = await InspectorReader.open(browser, shop.link);
    const { page } = reader;
    const at = (node: string) =>
      page.goto(
        `${page.url().split("#")[0]}#/runs/${traces[0].run_id}?tab=steps&node=${encodeURIComponent(node)}`,
      );
    const again = async (headers: string) => {
      await page.getByLabel("Headers, one per line").fill(headers);
      await reader.button("Run again").click();
      await reader.button("Yes").click();
    };
    await at("order/reserve");
    await page.getByText("Run again from here").click();
    await reader.sees(/the Bus has Subtotal of this run/);

    await again("");
    await page.locator(".answer .status").filter({ hasText: "401" }).waitFor();
    await page.getByLabel("Input of the step").fill('{ "customer": "Eve", "total": 9 }');
    await again("authorization: Bearer customer");
    await page.locator(".answer .status").filter({ hasText: "200" }).waitFor();
    await reader.sees(/"Eve"/);
    await page.locator(".answer .outcome").getByRole("link").click();
    await reader.sees("Run again from a step of run");

    await at("order:iam");
    await page.getByText("Run again from here").click();
    await reader.sees(/^Not from here: /);
    await reader.close();
  });

  task("sees what the server is", async (reader) => {
    await reader.view("System");
    await rowOf(reader, /^Framework 0\.30\.0/).waitFor();
    await rowOf(reader, /^breakpoints available/).waitFor();
    assert.deepEqual(reader.hosts, new Set([new URL(shop.link).host]));
  });
});
