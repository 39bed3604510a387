import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { letters } from "./access-log.js";
import { admit, dismiss, gauge } from "./api-key.js";
import { club } from "./auth.js";
import { photographs } from "./bodies.js";
import { pilotBook } from "./conditional.js";
import { timetable } from "./cors.js";
import { berths } from "./csrf.js";
import { payments } from "./idempotency.js";
import { lock, nuisances } from "./ip-filter.js";
import { channel } from "./own.js";
import { charts } from "./rate-limit.js";
import { office } from "./redirect.js";
import { tides } from "./security-headers.js";

describe("the timetable", () => {
  const app = new TestApp(timetable());
  const from = async (origin: string, path = "/crossings") => app.get(path, { headers: { origin } });

  test("is for pages of the ferry's sites", async () => {
    for (const origin of ["https://ferry.example", "https://north.ferry.example"]) {
      const { status, headers } = await from(origin);
      assert.deepEqual(
        [status, headers["access-control-allow-origin"], headers["access-control-allow-credentials"]],
        [200, origin, "true"],
      );
      assert.deepEqual([headers["access-control-expose-headers"], headers["vary"]], ["X-Total", "Origin"]);
    }
    for (const origin of ["https://ferry.example.net", "https://aferry.example", "null"])
      assert.equal((await from(origin)).problem.code, "ORIGIN_REFUSED");
  });

  test("tells everybody's pages how many berths there are", async () => {
    const { status, headers } = await from("https://other.example", "/berths");

    assert.deepEqual([status, headers["access-control-allow-origin"]], [200, "*"]);
  });
});

describe("the yacht club", () => {
  const app = new TestApp(club());
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  test("shows its pages to members by their cookie", async () => {
    const page = await app.get("/pages/boats", { headers: { cookie: "club=t-morag" } });

    assert.deepEqual(page.json, { of: "Morag", boats: ["Freya"] });
    assert.equal((await app.get("/pages/boats", bearer("t-morag"))).problem.code, "TOKEN_MISSING");
    assert.equal(
      (await app.get("/pages/boats", { headers: { cookie: "club=guessed" } })).problem.code,
      "TOKEN_INVALID",
    );
  });

  test("tells members the dues, and the treasurer what is in the books", async () => {
    assert.equal((await app.get("/dues", bearer("t-euan"))).text, "1200 EUR");
    assert.equal((await app.get("/books", bearer("t-euan"))).problem.code, "ROLE_INSUFFICIENT");
    assert.equal((await app.get("/books", bearer("t-morag"))).status, 200);
  });
});

describe("the charts", () => {
  test("are so many for each client, and of the atlas one a minute", async () => {
    const app = new TestApp(charts(() => 0));
    const { headers } = await app.get("/atlas");

    assert.equal(headers["ratelimit-policy"], '"atlas";q=1;w=60');
    const refused = await app.get("/atlas");
    assert.deepEqual(
      [refused.status, refused.headers["retry-after"], refused.problem.code],
      [429, "60", "RATE_LIMITED"],
    );
    const { ratelimit } = (await app.get("/chart")).headers;
    assert.equal(ratelimit, '"default";r=57;t=3');
  });

  test("count a pilot by its key wherever it is", async () => {
    const app = new TestApp(charts(() => 0));
    const keyed = { headers: { "x-api-key": "k-81d2" } };

    await app.get("/chart", keyed);
    const elsewhere = await app.get("/chart", { ...keyed, peer: "192.0.2.1" });
    assert.equal(elsewhere.headers["ratelimit"], '"default";r=58;t=2');
    assert.equal((await app.get("/chart")).headers["ratelimit"], '"default";r=59;t=1');
    assert.equal((await app.get("/chart", { headers: { "x-api-key": "guessed" } })).status, 401);
  });
});

test("the tide gauge takes reports of the stations, each so many, until it is dismissed", async () => {
  const app = new TestApp(gauge(() => 0));
  const report = async (key: string) => app.post("/levels", { headers: { "x-api-key": key } });
  const [north, south] = [admit("north"), admit("south")];

  assert.equal((await report(north)).text, "Thank you, north");
  assert.equal((await report(north)).status, 200);
  assert.equal((await report(north)).status, 429);
  assert.equal((await report(south)).text, "Thank you, south");
  dismiss("south");
  const { status, headers } = await report(south);
  assert.deepEqual([status, headers["www-authenticate"]], [401, 'ApiKey realm="api"']);
});

test("the tides' page runs the script that carries its nonce, and HSTS goes to https alone", async () => {
  const app = new TestApp(tides());
  const { text, headers } = await app.get("/", {
    peer: "10.0.0.1",
    headers: { "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https" },
  });
  const [, nonce = ""] = /nonce="([^"]+)"/.exec(text) ?? [];

  assert.match(headers["content-security-policy"] ?? "", new RegExp(`script-src 'self' 'nonce-${nonce}'`));
  assert.match(headers["content-security-policy"] ?? "", /img-src 'self' https:\/\/charts\.example/);
  assert.equal(headers["strict-transport-security"], "max-age=31536000; includeSubDomains");
  assert.deepEqual(
    [headers["x-frame-options"], headers["x-dns-prefetch-control"]],
    ["SAMEORIGIN", undefined],
  );
  assert.equal((await app.get("/")).headers["strict-transport-security"], undefined);
});

test("the lock's gate is opened from known addresses, and nuisances are kept out while it serves", async () => {
  const app = new TestApp(lock());
  const gate = (client: string) =>
    app.post("/controls/gate", { peer: "10.0.0.1", headers: { "x-forwarded-for": client } });

  assert.equal((await gate("192.0.2.9")).text, "The gate opens");
  assert.equal((await gate("2001:db8:7::1")).status, 200);
  assert.equal((await gate("203.0.113.5")).problem.code, "ADDRESS_REFUSED");
  assert.equal((await app.post("/controls/gate", { peer: "10.0.0.1" })).status, 403, "nobody is named");
  nuisances.replace(["203.0.113.0/24"]);
  assert.equal((await app.get("/level", { peer: "203.0.113.5" })).status, 403);
  assert.equal((await app.get("/level", { peer: "203.0.114.5" })).status, 200);
});

test("the letters' log has no name, no token and no berth", async () => {
  const log: Readonly<Record<string, unknown>>[] = [];
  const app = new TestApp(letters(), {}, { log });
  const headers = { "accept-language": "is", authorization: "Bearer k-81d2" };
  await app.get("/letters/ada?page=2&token=t-99&mood=low", { headers });
  await app.get("/nowhere?page=2&token=t-99&mood=low", { headers });
  await app.get("/berths");

  const answered = log.filter(({ module }) => module === "http.access");
  assert.deepEqual(
    answered.map(({ path, query, route, status, sealed }) => [path, query, route, status, sealed]),
    [
      ["/letters/[redacted]", undefined, "/letters/:name", 200, true],
      ["/nowhere", "page=2&token=[redacted]", undefined, 404, undefined],
    ],
  );
  assert.deepEqual(answered[0]?.["headers"], { "accept-language": "is", authorization: "[redacted]" });
  assert.doesNotMatch(JSON.stringify(log), /ada|t-99|k-81d2|low/);
});

test("the photographs are pictures, and not too large", async () => {
  const app = new TestApp(photographs(async ({ length }) => length));
  const send = (path: string, type: string, size: number) =>
    app.post(path, { headers: { "content-type": type }, body: new Uint8Array(size) });

  assert.deepEqual((await send("/photographs", "image/png", 60_000)).json, { id: 60_000 });
  const text = await send("/photographs", "text/plain", 10);
  assert.deepEqual([text.status, text.headers["accept-post"]], [415, "image/*"]);
  assert.equal((await send("/photographs", "image/png", 500_001)).problem.code, "BODY_TOO_LARGE");
  assert.equal((await send("/photographs/thumbnails", "image/png", 60_000)).status, 413);
});

test("a ticket is paid for once, and its receipt is given as often as it is asked for", async () => {
  const till: string[] = [];
  const app = new TestApp(payments(), { Till: till });
  const pay = (cents: number, headers: Record<string, string> = { "idempotency-key": '"8e03978e"' }) =>
    app.post("/payments", { json: { ticket: "N-7", cents }, headers });
  const first = await pay(1200);
  const again = await pay(1200);

  assert.deepEqual(
    [first.status, first.json, first.headers["idempotent-replayed"]],
    [201, { receipt: 1 }, undefined],
  );
  assert.deepEqual(
    [again.status, again.json, again.headers["idempotent-replayed"]],
    [201, { receipt: 1 }, "true"],
  );
  assert.deepEqual(till, ["N-7: 1200"]);
  assert.equal((await pay(1300)).problem.code, "IDEMPOTENCY_MISMATCH");
  assert.equal((await pay(1200, {})).problem.code, "IDEMPOTENCY_KEY_INVALID");
});

test("a page of the pilot book is written by one of two who have read it", async () => {
  const app = new TestApp(pilotBook(), { Book: new Map() });
  const put = (body: string, headers: Record<string, string>) =>
    app.put("/pages/skerries", { body, headers });

  assert.equal((await put("Rocks", {})).problem.code, "PRECONDITION_REQUIRED");
  assert.equal((await put("Rocks", { "if-none-match": "*" })).text, "Written");
  const read = await app.get("/pages/skerries");
  const etag = read.headers["etag"] ?? "";
  assert.deepEqual([read.text, etag], ["Rocks", '"v1"']);
  const writers = ["More rocks", "No rocks"].map((body) => put(body, { "if-match": etag }));
  assert.deepEqual((await Promise.all(writers)).map(({ status }) => status).sort(), [200, 412]);
  assert.equal((await app.get("/pages/skerries", { headers: { "if-none-match": '"v2"' } })).status, 304);
});

test("the office sends on by one name, to https, and from its old paths", async () => {
  const app = new TestApp(office());
  const ask = async (target: string, host: string, proto = "https") => {
    const headers = { host, "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": proto };
    const { status, headers: told } = await app.get(target, { headers, peer: "10.0.0.1" });
    return [status, told["location"]];
  };

  assert.deepEqual(await ask("/?a=b", "www.harbour.example", "http"), [
    301,
    "https://www.harbour.example/?a=b",
  ]);
  assert.deepEqual(await ask("/", "evil.example", "http"), [301, "https://harbour.example/"]);
  assert.deepEqual(await ask("/", "www.harbour.example"), [301, "https://harbour.example/"]);
  assert.deepEqual(await ask("/pilotage/7", "harbour.example"), [301, "/pilots/7"]);
  assert.deepEqual(await ask("/", "harbour.example"), [200, undefined]);
  assert.deepEqual(await ask("/.well-known/acme-challenge/token", "www.harbour.example", "http"), [
    200,
    undefined,
  ]);
});

test("berths are booked by the office's own forms, its partner's, and programs without cookies", async () => {
  const app = new TestApp(berths());
  const book = async (headers: Record<string, string>) =>
    (
      await app.post("/bookings", {
        form: { ship: "Petrel" },
        headers: { host: "office.example", ...headers },
      })
    ).status;

  assert.equal(await book({ "sec-fetch-site": "same-origin", cookie: "sid=1" }), 200);
  assert.equal(await book({ "sec-fetch-site": "cross-site", cookie: "sid=1" }), 403);
  assert.equal(
    await book({ "sec-fetch-site": "cross-site", origin: "https://partner.example", cookie: "sid=1" }),
    200,
  );
  assert.equal(await book({ origin: "http://office.example", cookie: "sid=1" }), 200);
  assert.equal(await book({ cookie: "sid=1" }), 403);
  assert.equal(await book({}), 200);
});

test("the channel is entered at high water, and its answers are told", async () => {
  const told: string[] = [];
  const tide = { cm: 212 };
  const app = new TestApp(
    channel((line) => told.push(line)),
    { Tide: tide },
  );
  const open = await app.get("/enter");

  assert.deepEqual([open.text, open.headers["x-draught"]], ["Keep to 182 cm", "182 cm"]);
  tide.cm = 120;
  const closed = await app.get("/enter");
  assert.deepEqual([closed.problem.code, closed.headers["cache-control"]], ["LOW_WATER", "no-store"]);
  assert.equal((await app.get("/elsewhere")).headers["cache-control"], "no-store");
  assert.deepEqual(told, ["/enter 200 at 182 cm", "/enter 503 at no cm", "undefined 503 at no cm"]);
});
