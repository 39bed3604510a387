// What the Inspector's page asks the feed of a large and busy service for, and what it says is lost.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Static } from "@sinclair/typebox";
import { Axon, BearerAuth, Framework, type RunningServer } from "framework";
import type { FeedEvent, FeedMessage } from "framework/inspector";
import type { Browser, Page } from "playwright-core";
import type { OneStatus } from "#inspector/api/status.js";
import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";
import { builtInspectorPage } from "../../support/built-page.js";
import { InspectorReader } from "../../support/inspector-reader.js";
import { until } from "../../support/patience.js";

const TOKEN = "operator-token-0123456789";
const NODES = 1314;

type Figures = Extract<FeedEvent, { kind: "metrics" }>;

describe("the Inspector's page, of a large and busy service,", { skip: skipWithoutBrowser }, () => {
  let browser: Browser;
  let server: RunningServer;
  let origin = "";
  before(async () => {
    await builtInspectorPage();
    let large = Axon.start("large").thenFn("first", () => 1);
    for (let n = 2; n < NODES; n += 1) large = large.thenFn(`step-${n}`, (given) => given);
    server = await Framework.http()
      .get("/large", large)
      .get(
        "/hello",
        Axon.start("hello").thenFn("greet", () => "hello"),
      )
      .inspector({
        ...{ enabled: true, port: 0, auth: BearerAuth.tokens({ operator: TOKEN }) },
        announce: (announced) => {
          origin = new URL(announced).origin;
        },
      })
      .bind("127.0.0.1:0")
      .run();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const page = (place = ""): string => `${origin}/#token=${TOKEN}${place}`;

  /** Messages of the feed, and their largest size. */
  function messagesTo(shown: Page) {
    const seen: { largest: number; newest: Figures | undefined } = { largest: 0, newest: undefined };
    shown.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => {
        seen.largest = Math.max(seen.largest, Buffer.byteLength(payload));
        const message = JSON.parse(String(payload)) as FeedMessage;
        const events = message.type === "events" ? message.events : [];
        seen.newest = events.findLast((event): event is Figures => event.kind === "metrics") ?? seen.newest;
      }),
    );
    return seen;
  }
  const nodesOf = (event: Figures | undefined): number =>
    event?.metrics.circuits.find(({ circuit }) => circuit === "large")?.nodes.length ?? -1;
  const hello = (times: number) =>
    Promise.all(Array.from({ length: times }, () => fetch(`${server.url}/hello`).then((r) => r.text())));

  test("is sent nodes of the circuit that it shows, and no long message", async () => {
    const reader = await InspectorReader.open(browser, page());
    const { page: shown } = reader;
    const seen = messagesTo(shown);
    await shown.reload();
    await (await fetch(`${server.url}/large`)).text();
    await until("few nodes", () => nodesOf(seen.newest) >= 1 && nodesOf(seen.newest) < 10);
    await shown
      .getByRole("row", { name: /^large / })
      .getByRole("link", { name: /^(?:first|step-\d+) / })
      .waitFor();
    await shown.getByRole("link", { name: "large", exact: true }).click();
    await shown.getByRole("heading", { name: "large" }).waitFor();
    await until("the circuit's parts", () => seen.newest?.part !== undefined);
    await shown.keyboard.press("/");
    await shown.keyboard.type("step-1300");
    await shown.getByRole("option", { name: /node step-1300 large/ }).waitFor();
    await shown.keyboard.press("Enter");
    await shown.getByRole("table", { name: "Figures of step-1300" }).getByText("1").first().waitFor();

    assert.ok(seen.largest <= 262_144, `${seen.largest} bytes`);
    await reader.close();
  });

  test("says one number of lost events, and so do the API and /metrics", async () => {
    const reader = await InspectorReader.open(browser, page("&/live?show=nodes"));
    await reader.sees("Following");
    const headers = { authorization: `Bearer ${TOKEN}` };
    const lostInStatus = async (): Promise<number> => {
      const { data } = (await (await fetch(`${origin}/status`, { headers })).json()) as Static<
        typeof OneStatus
      >;
      return data.stores.find(({ name }) => name === "feed")?.dropped ?? -1;
    };
    await until("events are lost", async () => {
      await hello(100);
      await (await fetch(`${server.url}/large`)).text();
      return (await lostInStatus()) > 2000;
    });
    const shown = async () =>
      (await reader.page.locator(".health, .live .line").allInnerTexts()).map(
        (line) => /(\d+)\slost/.exec(line)?.[1] ?? line,
      );
    const inMetrics = async (): Promise<string | undefined> => {
      const families = await (await fetch(`${origin}/metrics`, { headers })).text();
      return /^framework_store_dropped_total\{store="feed"\} (\d+)$/m.exec(families)?.[1];
    };
    // The feed may lose events between two of the questions.
    await until("page, status and metrics say the same", async () => {
      const lost = String(await lostInStatus());
      const said = [...(await shown()), await inMetrics()];
      return said.every((each) => each === lost) && lost === String(await lostInStatus());
    });
    await reader.close();
  });
});
