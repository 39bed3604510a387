// What Chromium's EventSource makes of streams of events, and of the page of examples/events.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Axon, EventChannel, Framework, FrameworkConfig, html, type RunningServer } from "framework";
import type { Browser, Page } from "playwright-core";

import { harbour } from "../../../examples/events/levels.js";
import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";

const silent = FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } });

/** Opens the stream that its address names behind "#", and keeps what it is told. */
const listening = Axon.start("listening").thenFn("show", () =>
  html(`<!doctype html><title>Events</title><script>
    const seen = [];
    const source = new EventSource(location.hash.slice(1));
    for (const type of ["message", "named", "events-lost"])
      source.addEventListener(type, ({ data, lastEventId }) => seen.push([type, data, lastEventId].join(" ")));
    source.addEventListener("open", () => seen.push("open"));
  </script>`),
);

describe("an EventSource", { skip: skipWithoutBrowser }, () => {
  const servers: RunningServer[] = [];
  const channel = new EventChannel<unknown>({ name: "news", history: { events: 2 } });
  let browser: Browser;
  let asked = 0;

  const listen = Axon.start("listen").thenFn("listen", () => {
    asked += 1;
    return channel.subscribe();
  });
  // The second time there is nothing more.
  const once = Axon.start("once").thenFn("once", () => {
    asked += 1;
    return asked > 1
      ? undefined
      : async function* () {
          yield { data: "only" };
        };
  });

  before(async () => {
    const news = Framework.http()
      .config(silent)
      .sse("/events", listen, { retryMs: 50 })
      .sse("/once", once, { retryMs: 50 })
      .get("/", listening);
    servers.push(await news.bind("127.0.0.1:0").run());
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await Promise.all(servers.map((server) => server.close()));
  });

  async function open(path: string): Promise<Page> {
    asked = 0;
    const page = await browser.newPage();
    await page.goto(`http://${servers[0]?.address}/#${path}`);
    return page;
  }
  const until = (page: Page, wanted: string) =>
    page.waitForFunction(`seen.join("\\n").includes(${JSON.stringify(wanted)})`);
  const seenBy = (page: Page): Promise<readonly string[]> => page.evaluate("seen");

  test("gets events whole, whatever stands in them", async () => {
    const page = await open("/events");
    await until(page, "open");
    const id = channel.publish({ event: "named", data: "a\nb\r\nid: 7\rdata: c\u2028\u0000é" });
    await until(page, "named");

    assert.deepEqual(await seenBy(page), ["open", `named a\nb\nid: 7\ndata: c\u2028\u0000é ${id}`]);
    await page.close();
  });

  test("comes back by itself, and gets what it has missed, though it had seen no event", async () => {
    const page = await open("/events");
    await until(page, "open");
    channel.disconnect();
    const first = channel.publish({ data: 1 }) as string;
    await until(page, first);
    channel.disconnect();
    const second = channel.publish({ data: 2 }) as string;
    await until(page, second);

    assert.deepEqual(
      (await seenBy(page)).filter((line) => line !== "open"),
      [`message 1 ${first}`, `message 2 ${second}`],
    );
    await page.close();
  });

  test("is told where the history has lost what it missed", async () => {
    const page = await open("/events");
    await until(page, "open");
    channel.disconnect();
    for (const data of [1, 2, 3]) channel.publish({ data });
    await until(page, "events-lost");
    const next = channel.publish({ data: 4 }) as string;
    await until(page, next);

    const [lost, last] = (await seenBy(page)).filter((line) => line !== "open");
    assert.match(lost as string, /^events-lost \{"reason":"unknown"\} /);
    assert.equal(last, `message 4 ${next}`);
    await page.close();
  });

  test("stays away after 204", async () => {
    const page = await open("/once");
    await page.waitForFunction("source.readyState === EventSource.CLOSED");

    assert.deepEqual([await seenBy(page), asked], [["open", "message only "], 2]);
    await page.close();
  });

  test("fills the page of the water levels, and fills it again where it has missed too much", async () => {
    const { ingress, levels, measured } = harbour();
    const server = await ingress.config(silent).bind("127.0.0.1:0").run();
    servers.push(server);
    measured({ pier: "North", cm: 210 });
    const page = await browser.newPage();
    await page.goto(`http://${server.address}/`);
    await page.getByText("210 cm", { exact: true }).waitFor();
    measured({ pier: "North", cm: 211 });
    await page.getByText("211 cm", { exact: true }).waitFor();

    levels.disconnect();
    for (let cm = 1; cm <= 1001; cm += 1) measured({ pier: "South", cm });
    await page.getByText("1001 cm", { exact: true }).waitFor();

    assert.deepEqual(await page.locator("dt").allTextContents(), ["North", "South"]);
    assert.equal(levels.stats.lost, 1);
    await page.close();
  });
});
