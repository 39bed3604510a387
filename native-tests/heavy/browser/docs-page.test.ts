// The page of docs() in a browser: what it shows, calls, sends and asks for.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  Axon,
  Framework,
  header,
  IamError,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  multipart,
  type RunningServer,
  Type,
} from "framework";
import type { ExtractedOf } from "framework/http";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";
import { builtDocsPage } from "../../support/built-page.js";

const COOKIE = header("cookie");
const AUTHORIZATION = header("authorization");

/** Answers the credentials of the request. */
const credentials = Axon.start("credentials").thenFn(
  "show",
  (_, bus) => ({ cookie: bus.find(COOKIE) ?? "none", authorization: bus.find(AUTHORIZATION) ?? "none" }),
  { mayRead: [COOKIE, AUTHORIZATION] },
);

const verifier: IamVerifier = {
  description: "one token",
  verify: (token) =>
    token === "t0ken" ? { subject: "ada", roles: [], claims: {} } : IamError.invalidToken("It is another"),
};

const subject = Axon.start("subject")
  .withIam(IamPolicy.requireIdentity(), verifier)
  .thenFn("show", (_, bus) => ({ subject: bus.get(IamIdentity).subject }), { reads: [IamIdentity] });

const upload = Axon.start<ExtractedOf<typeof form>>("upload").thenFn("tell", ({ fields, files }) => ({
  ...fields,
  name: files.picture.filename,
  pages: files.pages.length,
}));
const form = multipart({
  schema: Type.Object({ caption: Type.String() }),
  files: { picture: { required: true, types: ["text/plain"] }, pages: { multiple: true } },
});

const documented = () =>
  Framework.http({ reporter: () => {} })
    .get("/credentials", credentials)
    .get("/subject", subject)
    .post("/upload", upload, { input: form })
    .openapi("/openapi.json", { info: { title: "Credentials", version: "1.2.3" } })
    .docs("/docs")
    .docs("/docs-with-cookies", { sendCookies: true })
    .bind("127.0.0.1:0");

describe("the page of docs()", { skip: skipWithoutBrowser }, () => {
  let server: RunningServer;
  let browser: Browser;
  before(async () => {
    await builtDocsPage();
    server = await documented().run();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** A page, the addresses that it asked for, and what the browser complained of. */
  async function open(path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    const own = `http://${server.address}`;
    await context.addCookies([{ name: "session", value: "s3cret", url: own }]);
    const page = await context.newPage();
    const foreign: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${own}/`) && !url.startsWith("data:")) foreign.push(url);
    });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) =>
        console.error(`${event.violatedDirective} ${event.blockedURI}`),
      );
    });
    await page.goto(own + path);
    await operation(page, "/credentials").waitFor();
    return { page, foreign, complaints };
  }

  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const)
    test(`shows the document and makes a call, ${colorScheme}, ${width} pixels wide, without a report of its policy or a request elsewhere`, async () => {
      const viewport = { width, height: 900 };
      const { page, foreign, complaints } = await open("/docs", { colorScheme, viewport });
      const answer = await call(page, "/credentials");

      assert.deepEqual(answer, { cookie: "none", authorization: "none" });
      assert.equal(await page.title(), "Credentials");
      assert.equal(await brightness(page), colorScheme === "light" ? 255 : 28);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual([foreign, complaints], [[], []]);
      await page.context().close();
    });

  test("follows the browser's scheme while it is open", async () => {
    const { page } = await open("/docs", { colorScheme: "light" });
    await page.emulateMedia({ colorScheme: "dark" });

    await page.locator("html.dark-mode").waitFor();
    await page.context().close();
  });

  test("sends cookies with its calls where the program says so", async () => {
    const { page } = await open("/docs-with-cookies");

    assert.deepEqual(await call(page, "/credentials"), { cookie: "session=s3cret", authorization: "none" });
    await page.context().close();
  });

  test("sends the token that is entered with the calls that need one, and forgets it with the page", async () => {
    const { page } = await open("/docs");
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.getByLabel("Value").fill("t0ken");
    await page.getByRole("button", { name: "Apply credentials" }).click();
    await page.getByRole("button", { name: "Close" }).first().click();

    assert.deepEqual(await call(page, "/subject"), { subject: "ada" });
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
    await page.context().close();
  });

  test("sends the file that is chosen for an upload", async () => {
    const { page } = await open("/docs");
    const shown = operation(page, "/upload");
    await shown.locator(".opblock-summary-control").click();
    await shown.getByRole("button", { name: "Try it out" }).click();
    await shown.locator('[data-property-name="caption"] input').fill("low tide");
    await shown
      .locator('[data-property-name="picture"] input[type=file]')
      .setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    await shown.getByRole("button", { name: "Execute" }).click();

    const body = shown.locator(".live-responses-table .highlight-code code");
    assert.deepEqual(JSON.parse((await body.textContent()) ?? ""), {
      caption: "low tide",
      name: "a.txt",
      pages: 0,
    });
    await page.context().close();
  });

  test("runs no script that does not carry its nonce", async () => {
    const { page } = await open("/docs");

    await assert.rejects(page.addScriptTag({ content: "document.title = 'injected'" }), /Content Security/);
    const own = await page.locator("script").first().getAttribute("src");
    await assert.rejects(page.addScriptTag({ url: own ?? "" }), /Content Security|Failed to load script/);
    await page.context().close();
  });
});

const operation = (page: Page, path: string) =>
  page.locator(".opblock", { has: page.locator(".opblock-summary-path", { hasText: path }) });

/** Tries the operation; resolves to the body of its response. */
async function call(page: Page, path: string): Promise<unknown> {
  const shown = operation(page, path);
  await shown.locator(".opblock-summary-control").click();
  await shown.getByRole("button", { name: "Try it out" }).click();
  await shown.getByRole("button", { name: "Execute" }).click();
  const body = shown.locator(".live-responses-table .highlight-code code");
  return JSON.parse((await body.textContent()) ?? "");
}

/** The red of the page's background. */
const brightness = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { backgroundColor } = getComputedStyle(document.querySelector(".swagger-ui") as Element);
    const [red = "", , , alpha = "1"] = backgroundColor.match(/[\d.]+/g) ?? [];
    return Number(alpha) === 0 ? 255 : Number(red);
  });
