import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { FrameworkConfig, isFault } from "framework";
import { TestApp } from "framework/http";

import { Accounts } from "./accounts.js";
import { accountsApi } from "./accounts-api.js";
import { Passwords } from "./passwords.js";

const PASSWORD = "correct horse battery";
const ann = { name: "ann", password: PASSWORD };
const silent = FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } });

/** Cheap ones, which are counted. */
class CountedPasswords extends Passwords {
  compared = 0;
  constructor() {
    super(2);
  }
  override isRight(...args: Parameters<Passwords["isRight"]>) {
    this.compared += 1;
    return super.isRight(...args);
  }
}

/** Accounts of `ann`, and of the admin, on a clock that stands still unless the test moves it. */
async function open() {
  const clock = { ms: 1_800_000_000_000 };
  const passwords = new CountedPasswords();
  const accounts = new Accounts(passwords);
  await accounts.register(ann);
  await accounts.register({ name: "root", password: PASSWORD }, ["admin"]);
  const app = new TestApp(accountsApi({ accounts, now: () => clock.ms }).config(silent));
  /** As a browser says of requests by the page itself. */
  const own = { "sec-fetch-site": "same-origin" };
  const browser = async (login: object = ann) => {
    const client = app.session();
    const { status } = await client.post("/login", { json: login, headers: own });
    assert.equal(status, 200);
    return client;
  };
  const tokenOf = async (login: object = ann) => {
    const { status, json, headers } = await app.post("/tokens", { json: login });
    assert.deepEqual([status, headers["cache-control"]], [201, "no-store"]);
    return { authorization: `Bearer ${(json as { token: string }).token}` };
  };
  return { app, clock, passwords, own, browser, tokenOf };
}

describe("the accounts", () => {
  test("let in whoever registers, by a session, and by a token whoever asks for one", async () => {
    const { app, own, tokenOf } = await open();
    const ben = { name: "ben", password: PASSWORD };
    const page = app.session();
    assert.equal((await page.post("/register", { json: ben, headers: own })).status, 201);

    const told = { name: "ben", roles: [] };
    assert.deepEqual((await page.get("/page/me")).json, told);
    assert.deepEqual((await app.get("/api/me", { headers: await tokenOf(ben) })).json, told);
    for (const path of ["/page/me", "/api/me", "/page/accounts", "/api/accounts"])
      assert.equal((await app.get(path)).status, 401, path);
  });

  test("show who there is to an admin alone, and no password of anybody", async () => {
    const { app, browser, tokenOf } = await open();
    const root = { name: "root", password: PASSWORD };
    for (const [login, status] of [
      [ann, 403],
      [root, 200],
    ] as const) {
      const answers = [
        await (await browser(login)).get("/page/accounts"),
        await app.get("/api/accounts", { headers: await tokenOf(login) }),
      ];
      for (const answer of answers) {
        assert.equal(answer.status, status);
        assert.equal(status === 200, answer.text.includes('"ann"'));
        assert.doesNotMatch(answer.text, /hash|salt|password/i);
      }
    }
  });

  test("say the same of a wrong password and of a name that is not there, after as much work", async () => {
    const { app, passwords } = await open();
    for (const path of ["/login", "/tokens"]) {
      const answers = [];
      for (const name of ["ann", "eve", "__proto__"]) {
        const before = passwords.compared;
        const answer = await app.post(path, { json: { name, password: "wrong" } });
        const { instance, request_id, ...problem } = answer.problem as unknown as Record<string, unknown>;

        assert.equal(passwords.compared - before, 1);
        assert.deepEqual(answer.setCookies, []);
        answers.push(problem);
      }
      assert.equal(answers[0]?.["code"], "LOGIN_WRONG");
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
    }
  });

  test("let one account be tried five times, from wherever, by pages and programs together", async () => {
    const { app, clock, own } = await open();
    const attempt = async (n: number, login: object) =>
      app.post(n % 2 === 0 ? "/login" : "/tokens", { json: login, headers: own, peer: `192.0.2.${n}` });
    for (const name of ["ann", "eve"]) {
      for (let n = 0; n < 5; n += 1)
        assert.equal((await attempt(n, { name, password: "wrong" })).status, 401);
      const refused = await attempt(6, { name, password: PASSWORD });

      assert.deepEqual([refused.status, refused.problem.code], [429, "RATE_LIMITED"]);
      assert.equal(refused.headers["retry-after"], "12");
    }
    assert.equal((await attempt(8, { name: "root", password: PASSWORD })).status, 200);
    clock.ms += 12_000;
    assert.equal((await attempt(6, ann)).status, 200);
  });

  test("let one address try twenty times, whatever the accounts", async () => {
    const { app, passwords } = await open();
    const attempt = (n: number, peer: string) =>
      app.post("/login", { json: { name: `name-${n}`, password: "wrong" }, peer });
    for (let n = 0; n < 20; n += 1) assert.equal((await attempt(n, "192.0.2.1")).status, 401);
    const before = passwords.compared;

    assert.equal((await attempt(20, "192.0.2.1")).problem.code, "RATE_LIMITED");
    assert.equal((await app.post("/register", { json: {}, peer: "192.0.2.1" })).status, 429);
    assert.equal(passwords.compared, before);
    assert.equal((await attempt(20, "192.0.2.2")).status, 401);
  });

  test("give each log-in a session of its own, in the place of the one before", async () => {
    const { app, own } = await open();
    const logIn = async (cookie: string) => {
      const { setCookies } = await app.post("/login", { json: ann, headers: { ...own, cookie } });
      return (setCookies[0] as string).split(";")[0] as string;
    };
    const chosen = `__Host-sid=${"A".repeat(43)}`;
    const first = await logIn(chosen);
    const second = await logIn(first);
    const statusOf = async (cookie: string) => (await app.get("/page/me", { headers: { cookie } })).status;

    assert.equal(new Set([chosen, first, second]).size, 3);
    assert.deepEqual(await Promise.all([chosen, first, second].map(statusOf)), [401, 401, 200]);
  });

  test("are logged out everywhere at once, with their tokens, and nobody else is", async () => {
    const { app, own, browser, tokenOf } = await open();
    const root = { name: "root", password: PASSWORD };
    const [first, second, other] = [await browser(), await browser(), await browser(root)];
    const [token, others] = [await tokenOf(), await tokenOf(root)];
    const { status } = await first.post("/page/logout-everywhere", { headers: own });
    const statuses = async () => [
      ...[(await first.get("/page/me")).status, (await second.get("/page/me")).status],
      (await app.get("/api/me", { headers: token })).status,
      ...[(await other.get("/page/me")).status, (await app.get("/api/me", { headers: others })).status],
    ];

    assert.equal(status, 204);
    assert.deepEqual(await statuses(), [401, 401, 401, 200, 200]);
    assert.equal((await app.get("/api/me", { headers: await tokenOf() })).status, 200);
    assert.equal((await app.get("/api/me", { headers: token })).status, 401, "a new log-in revives no token");
  });

  test("log one browser out, and leave the others and the tokens", async () => {
    const { app, own, browser, tokenOf } = await open();
    const [first, second, token] = [await browser(), await browser(), await tokenOf()];
    await first.post("/logout", { headers: own });

    assert.equal((await first.get("/page/me")).status, 401);
    assert.equal((await second.get("/page/me")).status, 200);
    assert.equal((await app.get("/api/me", { headers: token })).status, 200);
  });

  test("give tokens that end after ten minutes and the clock's tolerance", async () => {
    const { app, clock, tokenOf } = await open();
    const headers = await tokenOf();
    clock.ms += 629_000;
    assert.equal((await app.get("/api/me", { headers })).status, 200);
    clock.ms += 1000;

    assert.equal((await app.get("/api/me", { headers })).problem.code, "TOKEN_EXPIRED");
  });

  test("take no session for a token, and no token for a session", async () => {
    const { app, browser, tokenOf } = await open();
    const headers = await tokenOf();

    assert.equal((await (await browser()).get("/api/me")).status, 401);
    assert.equal((await app.get("/page/me", { headers })).status, 401);
  });

  test("change nothing for a page of another origin", async () => {
    const { browser } = await open();
    const page = await browser();
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example", host: "gauge.example" },
      {},
    ])
      for (const path of ["/logout", "/page/logout-everywhere", "/login", "/register"])
        assert.equal((await page.post(path, { json: ann, headers })).problem.code, "CSRF_REFUSED", path);

    assert.equal((await page.get("/page/me")).status, 200);
  });

  test("take a name once, also where two ask for it at the same time", async () => {
    const accounts = new Accounts(new Passwords(2));
    const both = await Promise.all([accounts.register(ann), accounts.register(ann)]);

    assert.deepEqual(both.map(isFault).sort(), [false, true]);
    assert.equal(accounts.list().length, 1);
  });
});

describe("passwords", () => {
  test("are hashed differently each time, and compared as keyboards write them", async () => {
    const passwords = new Passwords(2);
    const [first, second] = [
      await passwords.hashOf("Caf\u00e9 noir"),
      await passwords.hashOf("Caf\u00e9 noir"),
    ];

    assert.notDeepEqual(first, second);
    for (const hash of [first, second]) {
      assert.equal(await passwords.isRight("Cafe\u0301 noir", hash), true);
      assert.equal(await passwords.isRight("Cafe noir", hash), false);
    }
    assert.equal(await passwords.isRight("", undefined), false);
  });

  test("leave the main loop free while they are hashed", async () => {
    const hashed = new Passwords().hashOf(PASSWORD);
    let [turns, isDone] = [0, false];
    void hashed.then(() => {
      isDone = true;
    });
    while (!isDone) {
      turns += 1;
      await new Promise(setImmediate);
    }

    assert.ok(turns > 10, `${turns} turns`);
  });

  test("are hashed 32 at once at most, and the answer is 503 beyond that", async () => {
    const accounts = new Accounts(new Passwords(2));
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, n) => accounts.register({ name: `name-${n}`, password: PASSWORD })),
    );
    const refused = all.filter(isFault);

    assert.equal(refused.length, 8);
    // Whether there is an account or not: else the time that it takes would tell.
    const passwords = new Passwords(2);
    const nobodys = await Promise.all(Array.from({ length: 40 }, () => passwords.isRight(PASSWORD)));
    assert.equal(nobodys.filter((isRight) => isRight === undefined).length, 8);
    assert.ok(!isFault(await accounts.loggedIn({ name: "name-0", password: PASSWORD })));
  });
});
