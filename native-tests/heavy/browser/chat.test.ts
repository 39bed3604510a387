// Two browsers in the chat of examples/chat, over TLS, who talk to each other.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { FrameworkConfig, type RunningServer } from "framework";
import type { Browser, Page } from "playwright-core";

import { chat } from "../../../examples/chat/chat.js";
import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";
import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";

const silent = FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } });

let browser: Browser;
let server: RunningServer;
const files = certificateFolder().pair(localCertificate().own);

const serve = (address: string) => chat(files).config(silent).bind(address).run();

/** A browser of its own, on the page of the chat. */
async function visit(colorScheme: "light" | "dark" = "light"): Promise<Page> {
  // Nobody has told the browser of the authority that signed for this test.
  const context = await browser.newContext({ colorScheme, ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(server.url.replace("127.0.0.1", "localhost"));
  return page;
}

async function enter(page: Page, name: string, room = "harbour"): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("radio", { name: room }).check();
  await page.getByRole("button", { name: "Enter" }).click();
}

async function entered(name: string, room?: string): Promise<Page> {
  const page = await visit();
  await enter(page, name, room);
  await page.getByLabel("Message").waitFor();
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.keyboard.press("Enter");
}

const heard = (page: Page, text: string) => page.getByRole("log").getByText(text, { exact: true }).waitFor();
const isHere = (page: Page, name: string) =>
  page.getByRole("complementary").getByText(name, { exact: true }).waitFor();

describe("the page of the chat", { skip: skipWithoutBrowser }, () => {
  before(async () => {
    server = await serve("127.0.0.1:0");
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  test("lets two people talk, and shows each that the other is there", async () => {
    const [ann, ben] = [await entered("Ann"), await entered("Ben")];
    for (const [page, own, other] of [
      [ann, "Ann", "Ben"],
      [ben, "Ben", "Ann"],
    ] as const) {
      await isHere(page, `${own} (you)`);
      await isHere(page, other);
    }
    await say(ann, "High water at six");
    await heard(ben, "High water at six");
    await say(ben, "See you at the pier");
    await heard(ann, "See you at the pier");

    await ben.getByRole("button", { name: "Leave" }).click();
    await ann.getByRole("complementary").getByText("Ben").waitFor({ state: "detached" });
    await ben.getByLabel("Your name").waitFor();
  });

  test("shows what somebody writes as text, whatever it is", async () => {
    const [cat, dan] = [await entered("Cat", "boatyard"), await entered("Dan", "boatyard")];
    const text = `<img src=x onerror="document.title='taken'"> & 'more'`;
    await say(cat, text);
    await heard(dan, text);

    assert.equal(await dan.title(), "Harbour talk");
  });

  test("says why it does not let somebody in, and lets them choose another name", async () => {
    await entered("Eve", "lighthouse");
    const page = await visit();
    await enter(page, "eve", "lighthouse");
    await page.getByRole("alert").getByText("Somebody of that name is there already").waitFor();
    await enter(page, "Fay", "lighthouse");

    await isHere(page, "Fay (you)");
  });

  test("comes back by itself when the server was away, and keeps what was being written", async () => {
    const page = await entered("Gil");
    await page.getByLabel("Message").fill("Where were w");
    const { address } = server;
    await server.close();
    await page.getByRole("status").getByText("Connecting again").waitFor();
    server = await serve(address);
    await page.getByRole("status").getByText("Connected", { exact: true }).waitFor();

    await isHere(page, "Gil (you)");
    assert.equal(await page.getByLabel("Message").inputValue(), "Where were w");
  });
});
