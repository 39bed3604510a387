// What the accounts of examples/guarded-api look like from a browser, and from pages of others in it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Axon, Framework, FrameworkConfig, html, type RunningServer } from "framework";
import type { Browser, BrowserContext, Page } from "playwright-core";

import { Accounts } from "../../../examples/guarded-api/accounts.js";
import { accountsApi } from "../../../examples/guarded-api/accounts-api.js";
import { Passwords } from "../../../examples/guarded-api/passwords.js";
import { launchBrowser, skipWithoutBrowser } from "../../support/browser.js";

const PASSWORD = "correct horse battery";
const silent = FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } });

const clock = { ms: Date.now() };
const servers: RunningServer[] = [];
const contexts: BrowserContext[] = [];
let browser: Browser;
let port: string;

/** A browser of its own, on the page of the accounts. */
async function open(colorScheme: "light" | "dark" = "light"): Promise<Page> {
  const context = await browser.newContext({ colorScheme });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByLabel("Name").waitFor();
  return page;
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const isLoggedIn = (page: Page, name: string) =>
  page.getByRole("heading", { name: `Logged in as ${name}`, exact: true }).waitFor();
const said = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).waitFor();

async function enter(page: Page, button: "Log in" | "Register", name: string, password = PASSWORD) {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await press(page, button);
}

async function registered(name: string): Promise<Page> {
  const page = await open();
  await enter(page, "Register", name);
  await isLoggedIn(page, name);
  return page;
}

/** A page of somebody else's, at another port: same site, and so with the cookies of the accounts. */
const hostile = (body: string) =>
  Framework.http()
    .config(silent)
    .get(
      "/",
      Axon.start("hostile").thenFn("lure", () => html(`<!doctype html><title>Win a boat</title>${body}`)),
    );

describe("the page of the accounts", { skip: skipWithoutBrowser }, () => {
  before(async () => {
    // Cheap hashes: what they cost is tested beside them.
    const accounts = new Accounts(new Passwords(2));
    await accounts.register({ name: "admin", password: PASSWORD }, ["admin"]);
    const server = await accountsApi({ accounts, now: () => clock.ms })
      .config(silent)
      .bind("127.0.0.1:0")
      .run();
    servers.push(server);
    port = server.address.split(":")[1] as string;
    browser = await launchBrowser();
  });
  after(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await browser?.close();
    await Promise.all(servers.map((server) => server.close()));
  });

  test("registers, logs out and logs in by the keyboard alone", async () => {
    const page = await open();
    const { keyboard } = page;
    await keyboard.type("keyla");
    await keyboard.press("Tab");
    await keyboard.type(PASSWORD);
    for (const key of ["Tab", "Tab", "Enter"]) await keyboard.press(key);
    await isLoggedIn(page, "keyla");
    for (const key of ["Tab", "Tab", "Enter"]) await keyboard.press(key);
    await said(page, "You are logged out here");

    // Enter in a field is the first button of its form.
    await page.getByLabel("Name").press("ControlOrMeta+a");
    await keyboard.type("keyla");
    await keyboard.press("Tab");
    await keyboard.type(PASSWORD);
    await keyboard.press("Enter");
    await isLoggedIn(page, "keyla");
    await page.reload();
    await isLoggedIn(page, "keyla");
  });

  test("keeps its session in a cookie that no script reads", async () => {
    const page = await registered("cora");
    const cookies = await page.context().cookies();

    assert.deepEqual(
      cookies.map(({ name, httpOnly, secure, sameSite, path, domain }) => ({
        ...{ name, httpOnly, secure, sameSite, path, domain },
      })),
      [{ name: "__Host-sid", httpOnly: true, secure: true, sameSite: "Lax", path: "/", domain: "127.0.0.1" }],
    );
    assert.equal(await page.evaluate("document.cookie"), "");
    assert.deepEqual(await page.evaluate("[{ ...localStorage }, { ...sessionStorage }]"), [{}, {}]);
  });

  test("ends, logged out everywhere in one browser, in the others too", async () => {
    const first = await registered("ella");
    const second = await open();
    await enter(second, "Log in", "ella");
    await isLoggedIn(second, "ella");
    const others = await registered("otto");
    await press(first, "Log out everywhere");
    await said(first, "You are logged out everywhere");

    await press(second, "Admin area");
    await said(second, "Your session has ended");
    assert.deepEqual(await second.context().cookies(), []);
    await others.reload();
    await isLoggedIn(others, "otto");
  });

  test("ends, logged out here, in no other browser", async () => {
    const first = await registered("hera");
    const second = await open();
    await enter(second, "Log in", "hera");
    await isLoggedIn(second, "hera");
    await press(first, "Log out");
    await said(first, "You are logged out here");

    await second.reload();
    await isLoggedIn(second, "hera");
  });

  test("says the same of a wrong password and of a name that is not there, and then to wait", async () => {
    clock.ms += 3_600_000;
    await registered("wilma");
    const page = await open();
    for (const name of ["wilma", "nobody"]) {
      await enter(page, "Log in", name, "wrong");
      await said(page, "Wrong name or password");
      await page.reload();
    }
    for (const name of ["wilma", "nobody"]) {
      for (let n = 0; n < 4; n += 1) {
        await page.reload();
        await enter(page, "Log in", name, "wrong");
        await said(page, "Wrong name or password");
      }
      await enter(page, "Log in", name, "wrong");
      await said(page, "Too many requests. Try again in 12 s");
    }

    clock.ms += 12_000;
    await enter(page, "Log in", "wilma");
    await isLoggedIn(page, "wilma");
  });

  test("says what is wrong with a registration", async () => {
    clock.ms += 3_600_000;
    const page = await registered("rita");
    const other = await open();
    await enter(other, "Register", "rita");
    await said(other, "This name is taken");
    await enter(other, "Register", "Rita", "short");

    await said(
      other,
      "Name: 3 to 32 small letters, digits and hyphens, a letter first. Password: At least 12 characters",
    );
    await page.close();
  });

  test("shows the admin area to whoever has the role", async () => {
    clock.ms += 3_600_000;
    const keeper = await registered("knut");
    await press(keeper, "Admin area");
    await keeper.getByRole("status").getByText("role").waitFor();
    assert.equal(await keeper.getByRole("table").count(), 0);
    const page = await open();
    await enter(page, "Log in", "admin");
    await press(page, "Admin area");

    const table = page.getByRole("table", { name: "Admin area" });
    await table.getByRole("row", { name: /^admin admin / }).waitFor();
    await table.getByRole("row", { name: /^knut none / }).waitFor();
  });

  test("is not changed by pages of other origins, of the same site or of another", async () => {
    clock.ms += 3_600_000;
    const page = await registered("vera");
    const url = `http://127.0.0.1:${port}`;
    const lure = await hostile(`
      <form method="post" action="${url}/page/logout-everywhere"><button>Form</button></form>
      <form method="post" action="${url}/logout"><button>Here</button></form>
      <form method="post" action="${url}/login" enctype="text/plain"><button>Login</button></form>
      <iframe src="${url}/"></iframe>`)
      .bind("127.0.0.1:0")
      .run();
    servers.push(lure);
    // 127.0.0.1 at another port is the same site; localhost is another one.
    const lurePort = lure.address.split(":")[1];
    for (const host of ["127.0.0.1", "localhost"]) {
      const other = await page.context().newPage();
      for (const button of ["Form", "Here", "Login"]) {
        await other.goto(`http://${host}:${lurePort}/`);
        const [answer] = await Promise.all([other.waitForNavigation(), press(other, button)]);
        assert.equal(answer?.status(), 403, `${host} ${button}`);
        assert.match((await answer?.text()) ?? "", /CSRF_REFUSED/);
      }
      await other.goto(`http://${host}:${lurePort}/`);
      for (const path of ["/page/me", "/page/logout-everywhere", "/logout"]) {
        const read = `fetch("${url}${path}", { method: "${path === "/page/me" ? "GET" : "POST"}", credentials: "include" }).then((a) => a.text(), () => "kept back")`;
        assert.equal(await other.evaluate(read), "kept back", `${host} ${path}`);
        const blind = read.replace("credentials", 'mode: "no-cors", credentials');
        assert.equal(await other.evaluate(blind), "kept back", `${host} ${path}, blind`);
      }
      assert.match(other.frames()[1]?.url() ?? "", /^chrome-error:/, "it stands in no frame");
      await other.close();
    }

    await page.reload();
    await isLoggedIn(page, "vera");
  });

  test("runs no script but its own, and asks nobody else", async () => {
    const page = await open("dark");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).host));
    await page.reload();
    await page.getByLabel("Name").waitFor();

    await assert.rejects(
      page.addScriptTag({ content: "document.title = 'injected'" }),
      /Content Security Policy/,
    );
    assert.deepEqual(new Set(asked), new Set([`127.0.0.1:${port}`]));
  });
});
