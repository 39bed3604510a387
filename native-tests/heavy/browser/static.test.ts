// The page of examples/static in a browser: its own routes, and the files it is made of.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { RunningServer } from "framework";
import type { Browser } from "playwright-core";

import { tides } from "../../../examples/static/tides.js";
import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";

describe("the page of the tides", { skip: skipWithoutBrowser }, () => {
  let server: RunningServer;
  let browser: Browser;
  before(async () => {
    server = await tides().bind("127.0.0.1:0").run();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  test("goes to its routes, and comes back to them when it is loaded there", async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    const codings = new Map<string, string | undefined>();
    page.on("response", (response) => {
      codings.set(new URL(response.url()).pathname, response.headers()["content-encoding"]);
    });

    await page.goto(`http://${server.address}/`);
    await page.getByText("Choose a harbour").waitFor();
    await page.getByRole("link", { name: "Brest" }).click();
    await page.getByText("06:12: 6.9 m").waitFor();
    assert.equal(new URL(page.url()).pathname, "/harbours/brest");
    const reloaded = await page.reload();
    assert.equal(reloaded?.status(), 200);
    await page.getByText("06:12: 6.9 m").waitFor();

    assert.equal(codings.get("/assets/app-c41e7b02.js"), "br");
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("says so where nothing is known", async () => {
    const page = await browser.newPage();
    await page.goto(`http://${server.address}/harbours/nowhere`);

    await page.getByText("Nothing is known of nowhere.").waitFor();
    await page.close();
  });
});
