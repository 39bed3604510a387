import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";
import { MemorySessions, Sessions } from "framework/std";

import { cleanEachMinute } from "./cleaning.js";
import { logbook } from "./logbook.js";

const ann = { name: "ann", password: "anchors aweigh" };
const captain = { code: "4711" };

function board(options = {}) {
  const app = new TestApp(logbook(options));
  // As browsers say of requests by the logbook's own pages.
  const own = { "sec-fetch-site": "same-origin" };
  /** A browser of somebody's: it keeps cookies, and its page the token. */
  const browser = async (login: object = ann) => {
    const client = app.session();
    const { status } = await client.post("/login", { json: login });
    const me = async () => (await client.get("/crew/me")).json as Record<string, unknown>;
    const send = async (path: string, json: object = {}) => {
      const headers = { ...own, "x-csrf-token": `${(await me())["csrfToken"]}` };
      return client.post(path, { json, headers });
    };
    return { client, status, me, send };
  };
  return { app, browser, own };
}

describe("the logbook", () => {
  test("lets the crew in by its passwords, and nobody else", async () => {
    const { browser } = board();
    const { status, me } = await browser();

    assert.equal(status, 200);
    const { csrfToken, ...shown } = await me();
    assert.deepEqual(shown, { name: "ann", roles: ["crew"], written: 0 });
    for (const wrong of [
      { ...ann, password: "x" },
      { name: "eve", password: "anchors aweigh" },
    ])
      assert.equal((await browser(wrong)).status, 401);
  });

  test("counts what each session has written", async () => {
    const { browser } = board();
    const { me, send } = await browser();
    for (const text of ["fog", "more fog"]) assert.equal((await send("/crew/entries", { text })).status, 200);

    assert.equal((await me())["written"], 2);
    assert.equal((await (await browser()).me())["written"], 0);
  });

  test("takes nothing from a page that has not the session's token", async () => {
    const { browser, own } = board();
    const { client } = await browser();
    const codeFrom = async (headers: Record<string, string>) =>
      (await client.post("/crew/entries", { json: { text: "gold!" }, headers })).problem.code;

    assert.equal(await codeFrom(own), "CSRF_TOKEN_INVALID");
    assert.equal(await codeFrom({ "sec-fetch-site": "cross-site" }), "CSRF_REFUSED");
  });

  test("gives whoever takes command another session, and its entries up to be struck", async () => {
    const { app, browser, own } = board();
    const { client, me, send } = await browser();
    const strike = async () => {
      const headers = { ...own, "x-csrf-token": `${(await me())["csrfToken"]}` };
      return (await client.delete("/crew/entries", { headers })).status;
    };
    const { setCookies } = await app.post("/login", { json: ann });
    const old = { cookie: (setCookies[0] as string).split(";")[0] as string };
    const { json } = await app.get("/crew/me", { headers: old });
    const token = { "x-csrf-token": (json as { csrfToken: string }).csrfToken };
    await app.post("/crew/command", { json: captain, headers: { ...own, ...old, ...token } });

    assert.equal((await app.get("/crew/me", { headers: old })).status, 401);
    assert.equal(await strike(), 403);
    assert.equal((await send("/crew/command", captain)).status, 200);
    assert.deepEqual((await me())["roles"], ["crew", "captain"]);
    assert.equal(await strike(), 200);
  });

  test("is left by one browser, or by all of somebody's", async () => {
    const { browser, own } = board();
    const [first, second, third] = [await browser(), await browser(), await browser()];
    await first.client.post("/logout", { headers: own });
    assert.equal((await first.client.get("/crew/me")).status, 401);
    assert.equal((await second.client.get("/crew/me")).status, 200);
    await second.send("/crew/logout-everywhere");

    assert.equal((await third.client.get("/crew/me")).status, 401);
  });
});

describe("the cleaning", () => {
  test("forgets what is over, batch by batch", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const clock = { now: 0 };
    const store = new MemorySessions();
    const sessions = new Sessions({ store, now: () => clock.now });
    const app = new TestApp(logbook({ store, now: () => clock.now }));
    for (let n = 0; n < 3; n += 1) await app.post("/login", { json: ann });
    const stop = cleanEachMinute(sessions);
    clock.now = 1_800_000;
    t.mock.timers.tick(60_000);
    await new Promise(setImmediate);

    assert.equal(store.size, 0);
    stop();
  });
});
