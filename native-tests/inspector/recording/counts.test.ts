// One request is one run, and each is counted once, everywhere: on the page, in the API, in
// /metrics and by route.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { basis, latency } from "#inspector/ui/format/figure.js";
import { refusals } from "#inspector/ui/views/overview/severity.js";
import { InspectedWorkers } from "../../support/inspected-workers.js";
import { until } from "../../support/patience.js";
import { readPrometheus } from "../../support/prometheus-reader.js";
import { refusingService } from "../../support/refusing-service.js";
import { WebSocketClient } from "../../support/websocket-client.js";

type Service = Awaited<ReturnType<typeof refusingService>>;

/** Per circuit: requests, then how many of them were refused, errors, and left by their clients. */
const EXPECTED: Record<string, readonly [all: number, refused: number, errors: number, aborted: number]> = {
  search: [24, 20, 0, 0],
  orders: [27, 6, 0, 1],
  guarded: [13, 8, 0, 0],
  limited: [5, 2, 0, 0],
  roles: [4, 2, 0, 0],
  slow: [2, 0, 2, 0],
  waits: [1, 0, 0, 1],
  throws: [2, 0, 2, 0],
  cycle: [1, 0, 1, 0],
  keyed: [4, 1, 0, 0],
  text: [2, 0, 1, 0],
};

async function load({ send, post, leave, shut }: Service): Promise<void> {
  for (let n = 0; n < 4; n += 1) assert.equal(await send(`/search?q=${n}`), 200);
  for (let n = 0; n < 20; n += 1) assert.equal(await send("/search?q=x"), 400);
  const good = '{"qty":1}';
  for (let n = 0; n < 20; n += 1) assert.equal(await post("/orders", good), 200);
  assert.equal(await post("/orders", '{"qty":0}'), 422);
  assert.equal(await post("/orders", "{"), 400);
  assert.equal(await post("/orders", good, { "content-type": "text/plain" }), 415);
  assert.equal(await post("/orders", `{"qty":1,"x":"${"x".repeat(200)}"}`), 413);
  assert.equal(await post("/orders", '{"qty":9}'), 409);
  assert.equal(await post("/orders", ""), 400);
  await leave(
    "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
  );
  for (let n = 0; n < 5; n += 1) assert.equal(await post("/guarded", good), 200);
  for (let n = 0; n < 3; n += 1) assert.equal(await post("/guarded", '{"qty":0}'), 422);
  assert.equal(await post("/guarded", `{"qty":1,"x":"${"x".repeat(200)}"}`), 413);
  assert.equal(await post("/guarded", good, { "content-type": "text/plain" }), 415);
  shut(true);
  for (let n = 0; n < 3; n += 1) assert.equal(await post("/guarded", good), 403);
  shut(false);
  for (const status of [200, 200, 200, 429, 429]) assert.equal(await send("/limited"), status);
  for (const [role, status] of [
    ["clerk", 200],
    ["clerk", 200],
    ["guest", 403],
  ] as const)
    assert.equal(await send("/roles", { headers: { authorization: `Bearer ${role}` } }), status);
  assert.equal(await send("/roles"), 401);
  for (let n = 0; n < 2; n += 1) assert.equal(await send("/slow"), 504);
  await leave("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n");
  for (let n = 0; n < 2; n += 1) assert.equal(await send("/throws"), 500);
  assert.equal(await send("/cycle"), 500);
  const keyed = (body: string) =>
    post("/keyed", body, { "content-type": "text/plain", "idempotency-key": '"one"' });
  for (const [body, status] of [
    ["a", 200],
    ["a", 200],
    ["a", 200],
    ["b", 422],
  ] as const)
    assert.equal(await keyed(body), status);
  assert.equal(await post("/text", "fine", { "content-type": "text/plain" }), 200);
}

/** A reader of input that throws: no step has run, and none does. */
async function failToRead({ post }: Service): Promise<void> {
  const { toString: read } = Buffer.prototype;
  Buffer.prototype.toString = function (this: Buffer, ...given: any[]): string {
    const made = read.apply(this, given as never);
    if (made === "ünreadable") throw new TypeError("a defect of the reader");
    return made;
  };
  try {
    assert.equal(await post("/text", "ünreadable", { "content-type": "text/plain" }), 500);
  } finally {
    Buffer.prototype.toString = read;
  }
}

interface ByRoute {
  readonly route: string | null;
  readonly status_class: string;
  readonly total: number;
}

const sumOf = (rows: readonly ByRoute[], circuit: string, ...classes: readonly string[]): number =>
  rows
    .filter(
      (row) => row.route === `/${circuit}` && (classes.length === 0 || classes.includes(row.status_class)),
    )
    .reduce((sum, { total }) => sum + total, 0);

const all = Object.values(EXPECTED).reduce((sum, [count]) => sum + count, 0);
const countedIn = (metrics: any): number =>
  metrics.circuits.reduce((sum: number, one: any) => sum + one.total, 0);

/** Of the feed, as the page shows them. */
async function pageData({ host, token }: Service): Promise<any> {
  const headers = {
    ...{ Host: "localhost", Authorization: `Bearer ${token}` },
    "Sec-WebSocket-Protocol": "framework.inspector.v1",
  };
  const client = await WebSocketClient.open(host, { path: "/api/v1/events", headers });
  client.text('{"type":"subscribe","kinds":["metrics"]}');
  try {
    for (;;) {
      const { events = [] } = JSON.parse((await client.nextText()) ?? "{}");
      const last = events.at(-1)?.metrics;
      if (last !== undefined && countedIn(last) === all) return last;
    }
  } finally {
    client.destroy();
  }
}

describe("requests that end in every way", () => {
  test("are the same numbers on the page, in the API, in /metrics and by route", async () => {
    const service = await refusingService();
    const { server, ask } = service;
    try {
      await load(service);
      await failToRead(service);
      await until("all are counted", async () => {
        const { http, circuits } = await ask("/api/v1/metrics");
        const requests = http.by_route.reduce((sum: number, { total }: ByRoute) => sum + total, 0);
        return (
          requests >= all &&
          countedIn({ circuits }) >= all &&
          circuits.every((one: any) => one.in_flight === 0)
        );
      });
      const [metrics, text, page] = [
        await ask("/api/v1/metrics"),
        await ask("/metrics"),
        await pageData(service),
      ];
      const series = readPrometheus(text).flatMap((family) => family.series);
      const shown = (name: string, circuit: string, outcome?: string): number =>
        series
          .filter((one) => one.name === name && one.labels["circuit"] === circuit)
          .filter(({ labels }) => outcome === undefined || labels["outcome"] === outcome)
          .reduce((sum, { value }) => sum + value, 0);
      const { traces } = await ask("/api/v1/traces?limit=500");

      for (const [circuit, [count, refused, errors, aborted]] of Object.entries(EXPECTED)) {
        const one = await ask(`/api/v1/metrics/${circuit}`);
        for (const length of ["600", "start"]) {
          const { windows } = await ask(`/api/v1/metrics/${circuit}?window=${length}`);
          const [whole] = windows;
          assert.deepEqual(
            [windows.length, whole.count, whole.refused, whole.errors, whole.aborted],
            [1, count, refused, errors, aborted],
            `${circuit} ${length}`,
          );
        }
        const listed = metrics.circuits.find((other: any) => other.circuit === circuit);
        const drawn = page.circuits.find((other: any) => other.circuit === circuit);
        const rows: readonly any[] = traces.filter((row: any) => row.circuit === circuit);
        for (const { windows, total, total_faults } of [one, listed, drawn]) {
          const window = windows[2];
          assert.deepEqual(
            [total, window.count, window.refused, window.errors, window.aborted],
            [count, count, refused, errors, aborted],
            circuit,
          );
          assert.equal(total_faults, shown("framework_circuit_faults_total", circuit), circuit);
          assert.ok(window.samples <= window.count && window.refused_input <= window.refused, circuit);
        }
        const by = metrics.http.by_route;
        assert.deepEqual(
          [[], ["4xx"], ["5xx"], ["aborted"]].map((classes) => sumOf(by, circuit, ...classes)),
          [count, refused, errors, aborted],
          circuit,
        );
        assert.equal(shown("framework_circuit_runs_total", circuit), count, circuit);
        assert.equal(shown("framework_circuit_traced_runs_total", circuit), count, circuit);
        assert.equal(rows.length, count, circuit);
        assert.equal(
          rows.filter(({ status }) => status === "refused_input").length,
          shown("framework_circuit_traced_runs_total", circuit, "refused_input"),
          circuit,
        );
        assert.equal(
          one.windows[2].refused_input,
          shown("framework_circuit_traced_runs_total", circuit, "refused_input"),
          circuit,
        );
        assert.equal(
          one.windows[2].samples,
          shown("framework_circuit_duration_seconds_count", circuit),
          circuit,
        );
      }
    } finally {
      await server.close();
    }
  });

  test("are named on the page by what refused them, without percentiles of runs that did nothing", async () => {
    const service = await refusingService();
    const { server, ask, send, post, shut } = service;
    try {
      for (let n = 0; n < 20; n += 1) await send("/search?q=x");
      await post("/guarded", '{"qty":0}');
      shut(true);
      for (let n = 0; n < 2; n += 1) await post("/guarded", '{"qty":1}');
      shut(false);
      await until("they are counted", async () => countedIn(await ask("/api/v1/metrics")) === 23);
      const [search, guarded] = [await ask("/api/v1/metrics/search"), await ask("/api/v1/metrics/guarded")];
      const named = (circuit: Parameters<typeof refusals>[0]) =>
        refusals(circuit, 60).map(({ node, refused }) => `${node} ${refused}`);

      assert.deepEqual(named(search), ["search:in 20"]);
      assert.deepEqual(named(guarded), ["guarded:guard/door 2", "guarded:in 1"]);
      const [, , window] = search.windows;
      assert.deepEqual(
        [window.latency, latency(window, "p50_us"), latency(window, "p99_us")],
        [null, "–", "–"],
      );
      assert.match(basis("p50", window), /, 0 of 20\u00a0runs timed$/);
    } finally {
      await server.close();
    }
  });

  test("are runs that failed where the server has too many", async () => {
    const service = await refusingService(1, { FRAMEWORK_SERVER_MAX_IN_FLIGHT: "1" });
    const { server, ask, send } = service;
    const leaving = new AbortController();
    const waiting = fetch(`${server.url}/waits`, { signal: leaving.signal }).catch(() => {});
    try {
      await until("one waits", async () => (await send("/search?q=1")) === 503);
      leaving.abort();
      await waiting;
      await until("they are counted", async () => countedIn(await ask("/api/v1/metrics")) >= 2);
      const { total, windows } = await ask("/api/v1/metrics/search");
      const { traces } = await ask("/api/v1/traces?circuit=search");

      assert.deepEqual([windows[2].count, windows[2].samples], [total, total - windows[2].errors]);
      assert.ok(windows[2].errors > 0);
      assert.deepEqual([traces[0].status, traces[0].fault.code], ["faulted", "OVERLOADED"]);
    } finally {
      await server.close();
    }
  });

  test("are counted exactly where only some runs are traced", async () => {
    const service = await refusingService(0.25);
    const { server, ask, send } = service;
    try {
      for (let n = 0; n < 40; n += 1) await send(n % 5 === 0 ? "/search?q=x" : `/search?q=${n}`);
      await until("they are counted", async () => countedIn(await ask("/api/v1/metrics")) === 40);
      const { total, total_faults: faults, windows } = await ask("/api/v1/metrics/search");

      assert.deepEqual([total, faults, windows[2].refused, windows[2].errors], [40, 8, 8, 0]);
      assert.equal(windows[2].refused_input, 8);
    } finally {
      await server.close();
    }
  });

  test("are found with what failed, also where no node was entered or the response could not be made", async () => {
    const service = await refusingService();
    const { server, ask, send } = service;
    try {
      await failToRead(service);
      await send("/cycle");
      await until("both are stored", async () => (await ask("/api/v1/traces")).traces.length === 2);
      const { traces } = await ask("/api/v1/traces");
      const found = async (circuit: string) => {
        const { run_id: id } = traces.find((row: any) => row.circuit === circuit);
        const { run, nodes, error } = await ask(`/api/v1/traces/${id}`);
        return [
          run.status,
          run.request.http_status,
          run.fault.code,
          nodes.length,
          error.stack.split("\n")[0],
        ];
      };

      assert.deepEqual(await found("text"), [
        ...["faulted", 500, "INGRESS_FAILED", 0],
        "TypeError: a defect of the reader",
      ]);
      const [status, http, code, nodes, stack] = await found("cycle");
      assert.deepEqual([status, http, code, nodes], ["faulted", 500, "ANSWER_FAILED", 1]);
      assert.match(stack, /^Error: "\/self" is what it stands in/);
    } finally {
      await server.close();
    }
  });

  test("are counted as those of one service where workers serve it", async () => {
    const workers = await InspectedWorkers.start();
    try {
      const [first, second] = await workers.workers(2);
      for (const worker of [first, second, second])
        assert.equal((await worker?.post("/items", { name: 1 }))?.status, 422);
      assert.equal((await first?.post("/items", { name: "a" }))?.status, 200);
      await until("both have counted", async () => {
        const { total } = await workers.data("/api/v1/metrics/items");
        return total === 4;
      });
      const { windows } = await workers.data("/api/v1/metrics/items");

      assert.deepEqual(
        [windows[2].count, windows[2].refused, windows[2].refused_input, windows[2].samples],
        [4, 3, 3, 1],
      );
    } finally {
      await workers.stop();
    }
  });
});
