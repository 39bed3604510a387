// The steps of sessions before routes, on a clock that the tests move.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";
import { MemorySessions, type SessionsOptions } from "framework/std";
import { sessionApp } from "../../support/session-app.js";

const START = 1_700_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ID = /^[\w-]{43}$/;
const SECURE = "Path=/; HttpOnly; Secure; SameSite=Lax";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly setCookies: readonly string[];
}

/** Answers tell the id that they set, and whether they delete the cookie. */
function opened(options: SessionsOptions = {}) {
  const clock = { now: START };
  const store = new MemorySessions();
  const { ingress, sessions } = sessionApp({ now: () => clock.now, store, ...options });
  const app = new TestApp(ingress);
  const cookie = (id: string | undefined) =>
    id === undefined ? {} : { headers: { cookie: `__Host-sid=${id}` } };
  const idIn = ({ setCookies }: Answer): string | undefined => {
    const values = setCookies.map((line) => /^__Host-sid=([^;]*)/.exec(line)?.[1]);
    assert.ok(values.length <= 1, setCookies.join(" | "));
    return values[0];
  };
  const login = async (name: string, brought?: string): Promise<string> => {
    const answer = await app.post("/login", { json: { name }, ...cookie(brought) });
    assert.deepEqual([answer.status, answer.text], [200, `hello ${name}`]);
    const id = idIn(answer);
    assert.match(id ?? "", ID);
    return id as string;
  };
  const who = async (id?: string) => (await app.get("/whoami", cookie(id))).text;
  const post = (path: string, id?: string, json?: object) =>
    app.post(path, { ...cookie(id), ...(json !== undefined && { json }) });
  const get = (path: string, id?: string) => app.get(path, cookie(id));
  const me = async (id: string) => (await get("/me", id)).json as Record<string, unknown>;
  return { clock, store, sessions, app, cookie, idIn, login, who, post, get, me };
}

describe("a login", () => {
  test("sets the cookie that browsers keep best, and lets nobody store the answer", async () => {
    const { app } = opened({ random: () => new Uint8Array(32).fill(0xff) });
    const { setCookies, headers } = await app.post("/login", { json: { name: "ann" } });

    assert.deepEqual(setCookies, [`__Host-sid=${"_".repeat(42)}8; ${SECURE}`]);
    assert.equal(headers["cache-control"], "no-store");
  });

  test("may set one of another name, stricter, that outlives the browser's session", async () => {
    const { app } = opened({
      random: () => new Uint8Array(32),
      cookie: { name: "__Host-shop", sameSite: "strict", persistent: true },
      absoluteMs: HOUR + 1999,
    });
    const { setCookies } = await app.post("/login", { json: { name: "ann" } });

    assert.deepEqual(setCookies, [
      `__Host-shop=${"A".repeat(43)}; Max-Age=3601; Path=/; HttpOnly; Secure; SameSite=Strict`,
    ]);
  });

  test("may tell the id in a header, and take it from there alone", async () => {
    const { app } = opened({ header: "X-Session" });
    const { headers, setCookies } = await app.post("/login", { json: { name: "ann" } });
    const id = `${headers["x-session"]}`;

    assert.match(id, ID);
    assert.deepEqual([setCookies.length, headers["cache-control"]], [0, "no-store"]);
    assert.equal((await app.get("/whoami", { headers: { "x-session": id } })).text, "ann");
    assert.equal(
      (await app.get("/whoami", { headers: { cookie: `__Host-sid=${id}` } })).text,
      "nobody, none",
    );
    assert.equal((await app.post("/logout", { headers: { "x-session": id } })).status, 200);
    assert.equal((await app.get("/whoami", { headers: { "x-session": id } })).text, "nobody, none");
  });

  test("makes an id of its own, whichever a client has chosen (session fixation)", async () => {
    const { login, who } = opened();
    const chosen = "A".repeat(43);
    const id = await login("ann", chosen);

    assert.notEqual(id, chosen);
    assert.equal(await who(chosen), "nobody, none");
    assert.equal(await who(id), "ann");
  });

  test("ends the session whose id came with it, whosever that was", async () => {
    const { login, who } = opened();
    const planted = await login("mallory");
    const id = await login("ann", planted);

    assert.notEqual(id, planted);
    assert.equal(await who(planted), "nobody, replaced");
    assert.equal(await who(id), "ann");
  });

  test("sets the cookie on whatever the run answers, and once beside a deletion", async () => {
    const { app, idIn, cookie } = opened();
    const answer = await app.post("/failing", { json: { name: "ann" }, ...cookie("stale") });

    assert.equal(answer.status, 409);
    assert.match(idIn(answer) ?? "", ID);
  });

  test("has an end no later than the identity, and none where that is over", async () => {
    const { app, idIn, me, who, clock } = opened();
    const until = START + 5 * MINUTE;
    const id = idIn(await app.post("/login", { json: { name: "ann", until } })) as string;

    assert.deepEqual([(await me(id))["expiresAt"], (await me(id))["idleUntil"]], [until, until]);
    clock.now = until - 1;
    assert.equal(await who(id), "ann");
    clock.now = until;
    assert.equal(await who(id), "nobody, expired");
    const late = await app.post("/login", { json: { name: "ann", until } });
    assert.deepEqual([late.status, late.problem.code, late.setCookies.length], [401, "TOKEN_EXPIRED", 0]);
  });
});

describe("a session", () => {
  test("ends after its idle time, and goes on where it is used before", async () => {
    const { login, who, clock } = opened();
    const id = await login("ann");
    clock.now += 30 * MINUTE - 1;
    assert.equal(await who(id), "ann");
    clock.now += 30 * MINUTE - 1;
    assert.equal(await who(id), "ann");
    clock.now += 30 * MINUTE;

    assert.equal(await who(id), "nobody, expired");
  });

  test("ends after its absolute time, however it is used", async () => {
    const { login, who, me, clock } = opened();
    const id = await login("ann");
    const { expiresAt } = await me(id);
    assert.equal(expiresAt, START + 12 * HOUR);
    while (clock.now < START + 12 * HOUR - 20 * MINUTE) {
      clock.now += 20 * MINUTE;
      assert.equal(await who(id), "ann");
    }
    clock.now = START + 12 * HOUR - 1;
    assert.equal(await who(id), "ann");
    clock.now += 1;

    assert.equal(await who(id), "nobody, expired");
  });

  test("is written for its uses once in a tenth of the idle time", async () => {
    const store = new MemorySessions();
    let touches = 0;
    const counted = {
      ...store,
      touch: (...args: Parameters<MemorySessions["touch"]>) => {
        touches += 1;
        return store.touch(...args);
      },
    };
    const { login, who, clock } = opened({ store: counted });
    const id = await login("ann");
    for (let second = 0; second < 360; second += 1) {
      clock.now += 1000;
      await who(id);
    }

    assert.equal(touches, 2);
  });

  test("that is unknown, over or no id at all leaves its caller anonymous, and its cookie is deleted", async () => {
    const { login, get, app, clock } = opened();
    const over = await login("ann");
    clock.now += HOUR;
    const id = await login("ben");
    const deleted = [`__Host-sid=; Max-Age=0; ${SECURE}`];

    for (const bad of [
      "A".repeat(43),
      "",
      "x",
      `${id}A`,
      id.slice(1),
      `${id.slice(1)}%41`,
      `"${id}"`,
      "A".repeat(9000),
    ]) {
      const { status, text, setCookies } = await get("/whoami", bad);
      assert.deepEqual([status, text, setCookies], [200, "nobody, none", deleted], bad.slice(0, 50));
    }
    const { text, setCookies } = await get("/whoami", over);
    assert.deepEqual([text, setCookies], ["nobody, expired", deleted]);
    const none = await app.get("/whoami", {
      headers: { cookie: `sid=${id}; x__Host-sid=${id}; __host-sid=${id}` },
    });
    assert.deepEqual([none.text, none.setCookies], ["nobody, none", []]);
  });

  test("is deleted by answers that nobody may store: whoever was given one would be logged out", async () => {
    const { login, get, post } = opened();

    for (const answer of [await get("/whoami", "A".repeat(43)), await post("/logout", await login("ann"))])
      assert.deepEqual([answer.setCookies.length, answer.headers["cache-control"]], [1, "no-store"]);
    assert.equal((await get("/whoami", await login("ann"))).headers["cache-control"], "private, no-cache");
  });

  test("is found among other cookies, and not where its own stands there twice", async () => {
    const { login, app } = opened();
    const [id, other] = [await login("ann"), await login("ben")];
    const who = async (cookie: string) => (await app.get("/whoami", { headers: { cookie } })).text;

    assert.equal(await who(`a=1; __Host-sid=${id};b="2; c`), "ann");
    assert.equal(await who(`__Host-sid=${id}; __Host-sid=${other}`), "nobody, none");
    assert.equal(await who(`__Host-sid=${id}; a=1; __Host-sid=${id}`), "nobody, none");
    assert.equal(await who(`__Host-sid=; __Host-sid=${id}`), "nobody, none");
  });

  test("is in no cookie whose name is its own but for what is blank in other alphabets", async () => {
    const { login, app } = opened();
    const id = await login("mallory");
    for (const blank of ["\u00a0", "\u2000", "\u0085", "\u000b", "\u000c", "\ufeff", "\u3000", "\u2028"])
      for (const name of [`${blank}__Host-sid`, `__Host-sid${blank}`, ` ${blank} __Host-sid`]) {
        const cookie = Buffer.from(`${name}=${id}`).toString("latin1");
        const { text, setCookies } = await app.get("/whoami", { headers: { cookie } });
        assert.deepEqual([text, setCookies], ["nobody, none", []], JSON.stringify(name));
      }
    const spaced = await app.get("/whoami", { headers: { cookie: ` \t__Host-sid \t=\t ${id}\t ` } });
    assert.equal(spaced.text, "mallory");
  });

  test("does not work by any changed character of its id", async () => {
    const { login, who } = opened();
    const id = await login("ann");
    for (let i = 0; i < id.length; i += 1) {
      const changed = `${id.slice(0, i)}${id[i] === "A" ? "B" : "A"}${id.slice(i + 1)}`;
      assert.equal(await who(changed), "nobody, none", `${i}`);
    }
  });

  test("is needed by ValidateSession, which says whether it is over", async () => {
    const { login, get, clock } = opened();
    const id = await login("ann");
    const codeOf = async (brought?: string) => {
      const { status, problem, headers, setCookies } = await get("/me", brought);
      return [status, problem.code, `${headers["www-authenticate"]}`.slice(0, 18), setCookies.length];
    };

    assert.deepEqual(await codeOf(), [401, "TOKEN_MISSING", 'Bearer realm="api"', 0]);
    assert.deepEqual(await codeOf("x"), [401, "TOKEN_MISSING", 'Bearer realm="api"', 1]);
    clock.now += HOUR;
    assert.deepEqual(await codeOf(id), [401, "TOKEN_EXPIRED", 'Bearer realm="api"', 1]);
  });
});

describe("a logout", () => {
  test("ends the session for good, and deletes its cookie", async () => {
    const { login, who, post } = opened();
    const [id, other] = [await login("ann"), await login("ann")];
    const { text, setCookies } = await post("/logout", id);

    assert.deepEqual([text, setCookies], ["bye", [`__Host-sid=; Max-Age=0; ${SECURE}`]]);
    assert.equal(await who(id), "nobody, none");
    assert.equal((await post("/rotate", id)).status, 401);
    assert.equal(await who(other), "ann");
  });

  test("everywhere ends all of the same subject, and of nobody else", async () => {
    const { login, who, post } = opened();
    const ids = [await login("ann"), await login("ann"), await login("ann")];
    const other = await login("ben");
    await post("/rotate", ids[1]);
    assert.equal((await post("/logout-everywhere", ids[0])).text, "bye everywhere");

    for (const id of ids) assert.match(await who(id), /^nobody/);
    assert.equal(await who(other), "ben");
    assert.equal(await who(await login("ann")), "ann");
  });

  test("without a session does nothing, and is no failure", async () => {
    const { post } = opened();
    for (const path of ["/logout", "/logout-everywhere"]) {
      const { status, setCookies } = await post(path);
      assert.deepEqual([status, setCookies], [200, []]);
      assert.equal((await post(path, "A".repeat(43))).status, 200);
    }
  });

  test("of a subject can be somebody else's to order", async () => {
    const { login, who, sessions } = opened();
    const ids = [await login("ann"), await login("ann"), await login("ben")];

    assert.equal(await sessions.endAll({ subject: "ann" }), 2);
    assert.equal(await sessions.endAll({ subject: "ann", issuer: "https://elsewhere.example" }), 0);
    assert.deepEqual(await Promise.all(ids.map(who)), ["nobody, none", "nobody, none", "ben"]);
  });
});

describe("a rotation", () => {
  test("gives the session a new id, with its data and times, and the old one stops working", async () => {
    const { login, post, idIn, me, who, clock } = opened();
    const id = await login("ann");
    await post("/data", id, { name: "cart", value: [1] });
    const before = await me(id);
    clock.now += 1000;
    const answer = await post("/rotate", id);
    const next = idIn(answer) as string;

    assert.deepEqual([answer.status, answer.text], [200, "rotated"]);
    assert.notEqual(next, id);
    assert.deepEqual(await me(next), { ...before, roles: ["user", "admin"] });
    assert.equal(await who(id), "nobody, replaced");
  });

  test("leaves the cookie alone that a request of the old id comes with", async () => {
    const { login, post, get, clock } = opened();
    const id = await login("ann");
    await post("/rotate", id);

    assert.deepEqual((await get("/whoami", id)).setCookies, []);
    assert.deepEqual((await get("/me", id)).setCookies, []);
    clock.now += 60_000;
    assert.equal((await get("/whoami", id)).setCookies.length, 1);
  });

  test("is done once of many at once, and the others are 401 or 409", async () => {
    const { login, post, who } = opened();
    const id = await login("ann");
    const answers = await Promise.all(Array.from({ length: 10 }, () => post("/rotate", id)));
    const done = answers.filter(({ status }) => status === 200);

    assert.equal(done.length, 1);
    assert.ok(answers.every(({ status }) => [200, 401, 409].includes(status)));
    assert.match(await who(id), /^nobody/);
  });
});

describe("data of a session", () => {
  test("are changed by many at once, and none is lost", async () => {
    const { login, post, me } = opened();
    const id = await login("ann");
    const names = ["a", "b", "c", "d", "e"];
    const answers = await Promise.all(names.map((name) => post("/data", id, { name, value: name })));

    assert.ok(answers.every(({ status }) => status === 200));
    assert.deepEqual((await me(id))["data"], { of: "ann", ...Object.fromEntries(names.map((n) => [n, n])) });
    assert.equal((await me(id))["version"], 6);
  });

  test("are refused above their bound, which counts bytes of JSON", async () => {
    const { login, post, me } = opened({ maxDataBytes: 40 });
    const id = await login("ann");
    const rest = 40 - JSON.stringify({ of: "ann", x: "" }).length;

    assert.equal((await post("/data", id, { name: "x", value: "é".repeat(rest / 2) })).status, 200);
    const refused = await post("/data", id, { name: "x", value: "é".repeat(rest / 2 + 1) });
    assert.deepEqual([refused.status, refused.problem.code], [422, "SESSION_DATA_TOO_LARGE"]);
    assert.equal((await me(id))["version"], 2);
  });
});
