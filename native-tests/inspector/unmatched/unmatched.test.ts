// Requests that no route matched, as an operator sees them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, BearerAuth, Framework, FrameworkConfig, guard, pass } from "framework";
import type { Data } from "#inspector/api/shapes.js";
import type { Unmatched as Shown } from "#inspector/api/unmatched.js";
import { Peers } from "#inspector/peers/peers.js";
import { Unmatched } from "#inspector/unmatched/unmatched.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { answerRecord } from "../../support/answer-record.js";
import { answering } from "../../support/inspected.js";
import { talk } from "../../support/wire.js";

const OPERATOR = "operator-token-0123456789";

/** A server with an Inspector that listens; `send` takes what stands before the headers. */
async function inspected(isGuarded = false) {
  const shop = Framework.http()
    .config(FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } }))
    .get(
      "/hello",
      Axon.start("hello").thenFn("greet", () => "hello"),
    );
  const guarded = isGuarded ? shop.guard(guard({ name: "open", run: (input) => pass(input) })) : shop;
  let inspector = "";
  const server = await guarded
    .inspector({
      ...{ enabled: true, port: 0, auth: BearerAuth.tokens({ operator: OPERATOR }) },
      announce: (link) => {
        inspector = new URL(link).origin;
      },
    })
    .bind("127.0.0.1:0")
    .run();
  const send = (head: string, headers = "") =>
    talk(server.address, [`${head} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`]);
  const ask = async (path: string) => {
    const response = await fetch(`${inspector}${path}`, { headers: { authorization: `Bearer ${OPERATOR}` } });
    return { status: response.status, data: ((await response.json()) as any).data };
  };
  return { send, ask, close: () => server.close() };
}

describe("requests that no route matched", () => {
  for (const isGuarded of [false, true])
    test(`are listed with the code and id of their refusal, and counted${isGuarded ? ", where a guard stands before them too" : ""}`, async () => {
      const { send, ask, close } = await inspected(isGuarded);
      const answer = await send("GET /wp-admin/a%0A?token=secret");
      for (const head of ["GET /hello", "DELETE /hello", "OPTIONS /hello", "BREW /tea"]) await send(head);
      await send(`GET /${"a".repeat(9000)}`);
      await send("GET /hello", "Expect: tea\r\n");
      const { data } = await ask("/api/v1/unmatched");
      const { data: figures } = await ask("/api/v1/metrics");
      const { data: kept } = await ask("/api/v1/traces");

      assert.deepEqual(
        data.requests.map(({ method, path, status, code }: any) => [method, path.slice(0, 20), status, code]),
        [
          ["GET", "/hello", 417, "EXPECTATION_UNKNOWN"],
          ["GET", "/aaaaaaaaaaaaaaaaaaa", 414, "TARGET_TOO_LONG"],
          ["BREW", "/tea", 501, "METHOD_UNKNOWN"],
          ["OPTIONS", "/hello", 204, null],
          ["DELETE", "/hello", 405, "METHOD_NOT_ALLOWED"],
          ["GET", "/wp-admin/a%0A", 404, "NOT_FOUND"],
        ],
      );
      assert.equal(data.requests[1].path.length, 256);
      assert.equal(data.requests.at(-1).request_id, JSON.parse(answer.replies[0]?.body ?? "").request_id);
      assert.equal(data.not_kept, 0);
      const unmatched = figures.http.by_route.filter(({ route }: any) => route === null);
      assert.equal(
        unmatched.reduce((sum: number, { total }: any) => sum + total, 0),
        6,
      );
      assert.deepEqual(
        kept.traces.map(({ circuit }: any) => circuit),
        ["hello"],
      );
      await close();
    });

  test("are narrowed by status and number, which are checked", async () => {
    const { send, ask, close } = await inspected();
    for (const head of ["GET /one", "DELETE /hello", "GET /two"]) await send(head);
    const paths = async (query: string) =>
      (await ask(`/api/v1/unmatched?${query}`)).data.requests.map(({ path }: any) => path);

    assert.deepEqual(await paths("status=404"), ["/two", "/one"]);
    assert.deepEqual(await paths("status=404&limit=1"), ["/two"]);
    for (const wrong of ["status=4e9", "status=99", "limit=0", "limit=501", "path=/"])
      assert.equal((await ask(`/api/v1/unmatched?${wrong}`)).status, 422, wrong);
    await close();
  });
});

const unrouted = { route: undefined, status: 404, code: "NOT_FOUND" };

describe("the store of unmatched requests", () => {
  test("takes 50 a second and keeps the newest 500; it counts the others", async () => {
    const clock = new ManualClock();
    const store = new Unmatched(clock);
    for (let n = 0; n < 70; n += 1) store.answered(answerRecord({ ...unrouted, path: `/${n}` }));

    assert.deepEqual([store.size, store.list({}).not_kept], [50, 20]);

    for (let second = 0; second < 10; second += 1) {
      await clock.advance(1000);
      for (let n = 0; n < 51; n += 1) store.answered(answerRecord({ ...unrouted, path: `/${second}/${n}` }));
    }
    const { requests, not_kept } = store.list({ limit: 500 });
    assert.deepEqual([requests.length, not_kept], [500, 20 + 50 + 10]);
    assert.deepEqual([requests[0]?.path, requests.at(-1)?.path], ["/9/49", "/0/0"]);
  });

  test("shows text that a client sent visibly and cut, without credentials", () => {
    const store = new Unmatched(new ManualClock());
    const token = `eyJ${"a".repeat(30)}.eyJ${"b".repeat(30)}.${"c".repeat(40)}`;
    store.answered(answerRecord({ ...unrouted, method: `\u001b[2J${"M".repeat(100)}`, path: "/\u202e\r\n" }));
    store.answered(answerRecord({ ...unrouted, path: `/${token}` }));
    const [second, first] = store.list({}).requests;

    assert.deepEqual([first?.method, first?.path], [`\\u001b[2J${"M".repeat(28)}`, "/\\u202e\\r\\n"]);
    assert.ok(second?.path.includes(token) === false);
  });

  test("leaves out what a route, or a fallback below 400, answered", () => {
    const store = new Unmatched(new ManualClock());
    store.answered(answerRecord({ status: 404 }));
    store.answered(answerRecord({ route: undefined, status: 200 }));
    store.answered(answerRecord({ route: undefined, status: 0, isAborted: true }));

    assert.deepEqual(
      store.list({}).requests.map(({ status }) => status),
      [null],
    );
  });

  test("is that of all processes: the newest of any first, and the sum of what is not kept", async () => {
    const rooms = new MemoryRooms();
    const clock = new ManualClock();
    const stores = [1, 2, 3].map((pid) => {
      const store = new Unmatched(clock);
      const peers = new Peers({ bus: rooms.join(), expected: 2, clock, pid });
      const list = answering<Data<typeof Shown>>("/api/v1/unmatched", { unmatched: store, peers });
      return { store, list };
    });
    for (const { store } of stores) for (let n = 0; n < 60; n += 1) store.answered(answerRecord(unrouted));
    const { requests, not_kept, workers_silent } = await (stores[0] ?? assert.fail()).list("limit=120");

    assert.deepEqual([requests.length, not_kept, workers_silent], [120, 30, 0]);
    assert.ok(requests.every(({ at }, n) => n === 0 || at <= (requests[n - 1]?.at as number)));
  });
});
