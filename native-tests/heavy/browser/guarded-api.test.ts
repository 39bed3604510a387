// What examples/guarded-api lets pages do, as a browser sees it.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";

import { FrameworkConfig, type RunningServer } from "framework";
import type { Browser, Page } from "playwright-core";

import { guardedApi } from "../../../examples/guarded-api/api.js";
import { gaugePage } from "../../../examples/guarded-api/page.js";
import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";

/** Moves when a test moves it. */
const clock = { ms: 0 };
const gauge = { cm: 212 };
const servers: RunningServer[] = [];
let browser: Browser;
let allowed: string;
let refused: string;

/** A page of an origin, and what it has asked for. */
async function open(origin: string, colorScheme: "light" | "dark" = "light") {
  const page = await browser.newPage({ colorScheme });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(origin);
  return { page, asked };
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** The rows of the page's table from the `from`th on, when there are `count` of them. */
async function rows(page: Page, count: number, from = 0): Promise<readonly (readonly string[])[]> {
  const all = page.getByRole("table", { name: "Answers" }).locator("tbody tr");
  await all.nth(count - 1).waitFor();
  const texts = await Promise.all((await all.all()).map((row) => row.locator("td").allTextContents()));
  return texts.slice(from);
}

describe("pages that use the guarded API", { skip: skipWithoutBrowser }, () => {
  before(async () => {
    // The API wants to know the page's origin, and the page the API's: one of them has to be known before.
    const port = await freePort();
    allowed = `http://127.0.0.1:${port}`;
    const silent = FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } });
    const api = await guardedApi({ pageOrigin: allowed, now: () => clock.ms })
      .config(silent)
      .bind("127.0.0.1:0")
      .run({ Gauge: gauge });
    servers.push(api);
    const page = gaugePage(`http://${api.address}`);
    servers.push(await page.bind(`127.0.0.1:${port}`).run());
    const other = await page.bind("127.0.0.1:0").run();
    servers.push(other);
    refused = `http://${other.address}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await Promise.all(servers.map((server) => server.close()));
  });

  test("read its answers where their origin is allowed, and when they may come again", async () => {
    clock.ms += 60_000;
    gauge.cm = 212;
    const { page } = await open(allowed);
    await press(page, "Read until refused");

    assert.deepEqual(await rows(page, 6), [
      ...["4", "3", "2", "1", "0"].map((left) => ["GET /level", "200", left, "", "212 cm"]),
      ["GET /level", "429", "0", "2 s", "Too many requests"],
    ]);
    clock.ms += 2000;
    await press(page, "Read");
    assert.deepEqual(await rows(page, 7, 6), [["GET /level", "200", "0", "", "212 cm"]]);
    await page.close();
  });

  test("send what a preflight allows", async () => {
    clock.ms += 60_000;
    const { page } = await open(allowed);
    await press(page, "Record 205 cm");

    assert.deepEqual(await rows(page, 1), [["POST /level", "201", "", "", "205 cm"]]);
    assert.equal(await page.getByLabel("Level").textContent(), "205 cm");
    await page.close();
  });

  test("learn nothing where their origin is not allowed, and change nothing", async () => {
    gauge.cm = 212;
    const { page } = await open(refused);
    await press(page, "Read");
    await rows(page, 1);
    await press(page, "Record 205 cm");

    const nothing = ["", "", "", "Nothing: the browser kept the answer back"];
    assert.deepEqual(await rows(page, 2), [
      ["GET /level", ...nothing],
      ["POST /level", ...nothing],
    ]);
    assert.equal(gauge.cm, 212);
    assert.equal(await page.getByLabel("Level").textContent(), "No reading yet");
    await page.close();
  });

  test("run no script that does not carry their nonce", async () => {
    const { page } = await open(allowed);

    await assert.rejects(
      page.addScriptTag({ content: "document.title = 'injected'" }),
      /Content Security Policy/,
    );
    assert.equal(await page.title(), "Tide gauge");
    await page.close();
  });

  test("ask for nothing but themselves and the API", async () => {
    for (const scheme of ["light", "dark"] as const) {
      const { page, asked } = await open(allowed, scheme);
      await press(page, "Read");
      await rows(page, 1);

      assert.deepEqual(
        new Set(asked.map((url) => new URL(url).host)),
        new Set([new URL(allowed).host, servers[0]?.address]),
      );
      await page.close();
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
