import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import {
  Axon,
  Framework,
  HttpClient,
  jump,
  RequestId,
  RetryPolicy,
  synapse,
  TraceContext,
  transition,
} from "framework";
import { AuditLog, MemoryAuditSink } from "framework/audit";
import { TestApp } from "framework/http";
import { RateLimitGuard } from "framework/std";
import { InnerSpans } from "#core/timeline/inner-span.js";
import type { Recorder, TracedRun } from "#core/timeline/recorder.js";
import type { InnerRow, Trace } from "#inspector/api/traces.js";
import { innerRows, rowForViewers, rowsByVisit } from "#inspector/traces/inner-rows.js";
import { compileRedactor } from "#schema/redaction/redactor.js";
import { remote, serveRemote } from "../../support/asked-service.js";
import { tracedApp } from "../../support/traced-app.js";

serveRemote();

const rowsOf = ({ nodes }: Trace): readonly (readonly [string, readonly InnerRow[]])[] =>
  nodes.flatMap(({ label, inner }) => (inner === undefined ? [] : [[label, inner] as const]));

const named = (trace: Trace) =>
  rowsOf(trace).map(([label, rows]) => [label, rows.map(({ kind, name, failed }) => [kind, name, failed])]);

const stock = () => {
  const client = new HttpClient(`${remote.base}/api`);
  return synapse({
    name: "ask stock",
    mayRead: HttpClient.keys,
    call: (_: unknown, bus) => client.json(bus, "items/ann@example.com", { query: { token: "planted" } }),
    toFault: HttpClient.toFault,
  });
};

describe("rows inside a step", () => {
  test("are the calls of its outgoing client and of its Synapse, with the status", async () => {
    remote.handle = (_, response) => response.end("{}");
    const { app, newest } = tracedApp((ingress) => ingress.get("/", Axon.start("offer").then(stock())));
    await app.get("/");
    const [[label, rows]] = rowsOf(newest()) as [[string, InnerRow[]]];

    assert.equal(label, "ask stock");
    assert.deepEqual(
      rows.map(({ kind, name, failed, is_open }) => [kind, name, failed, is_open]),
      [
        ["synapse", "ask stock", null, false],
        ["http", `GET ${new URL(remote.base).host}/api/`, null, false],
      ],
    );
    assert.deepEqual(rows[1]?.attributes, { "http.response.status_code": 200 });
    assert.deepEqual(rows[1]?.withheld, ["url.full"]);
    assert.ok(!JSON.stringify(newest()).includes("ann@example.com"));
  });

  test("have the path of a call, never its query, where payloads are captured in full", async () => {
    remote.handle = (_, response) => response.end("{}");
    const routes = Axon.start("offer").then(stock());
    const { app, newest } = tracedApp((ingress) => ingress.get("/", routes), "full");
    await app.get("/");
    const rows = rowsOf(newest()).flatMap(([, inner]) => inner);

    assert.deepEqual(rows[1]?.attributes, {
      "url.full": `${remote.base}/api/items/ann@example.com`,
      "http.response.status_code": 200,
    });
    assert.deepEqual(rows[1]?.withheld, []);
    assert.ok(!JSON.stringify(newest()).includes("planted"));
  });

  test("say how a call failed, by its code", async () => {
    remote.handle = (_, response) => response.writeHead(503).end("planted text");
    const { app, newest } = tracedApp((ingress) => ingress.get("/", Axon.start("offer").then(stock())));
    const { status } = await app.get("/");

    assert.equal(status, 502);
    assert.deepEqual(named(newest()), [
      [
        "ask stock",
        [
          ["synapse", "ask stock", "UPSTREAM_REFUSED"],
          ["http", `GET ${new URL(remote.base).host}/api/`, "503"],
        ],
      ],
    ]);
  });

  test("are the calls of stores that answer a promise, of guards and steps", async () => {
    const verdict = { allowed: true, remaining: 1, resetMs: 1, retryAfterMs: 0 };
    const store = { take: () => turn(verdict) };
    const audited = Axon.start("audited").then(
      new AuditLog({ name: "note", sink: new MemoryAuditSink(), action: "see", actor: "a", target: "b" }),
    );
    const { app, newest } = tracedApp((ingress) =>
      ingress.get("/", audited, { guards: [new RateLimitGuard(5, 1000, { store })] }),
    );
    await app.get("/");

    assert.deepEqual(named(newest()), [
      ["RateLimitGuard", [["store", "RateLimitStore.take", null]]],
      ["note", [["store", "AuditSink.append", null]]],
    ]);
  });

  test("are of the visit in which they began, in a step that runs again", async () => {
    const call = synapse({ name: "again", call: (n: number) => turn(n + 1) });
    const axon = Axon.start("round")
      .thenFn("begin", () => 0)
      .label("top")
      .then(call)
      .thenFn("loop", (n): number | ReturnType<typeof jump<"top", number>> => (n < 2 ? jump("top", n) : n), {
        jumps: ["top"],
      });
    const { app, newest } = tracedApp((ingress) => ingress.get("/", axon));
    await app.get("/");

    assert.deepEqual(
      rowsOf(newest()).map(([label, rows]) => [label, rows.length]),
      [
        ["again", 1],
        ["again", 1],
      ],
    );
  });

  test("are absent of a run without a call, and of a store that answers at once", async () => {
    const { app, newest } = tracedApp((ingress) =>
      ingress.get(
        "/",
        Axon.start("plain").thenFn("one", () => 1),
        { guards: [new RateLimitGuard(5, 1000)] },
      ),
    );
    await app.get("/");

    assert.deepEqual(rowsOf(newest()), []);
    assert.equal(newest().inner_dropped, undefined);
  });

  test("are of their own step where steps run beside each other, and of each try", async () => {
    let tries = 0;
    const call = (name: string) => synapse({ name, call: () => turn(name) });
    const flaky = synapse({
      name: "flaky",
      call: async () => {
        tries += 1;
        if (tries === 1) throw Object.assign(new Error("planted"), { code: "ECONNRESET" });
        return turn(1);
      },
      toFault: () => "down",
    });
    const axon = Axon.start("all")
      .parallel([call("left"), call("right")], "AllMustSucceed", () => 1)
      .thenWithRetry(flaky, RetryPolicy.fixed(2, 1));
    const { app, newest } = tracedApp((ingress) => ingress.get("/", axon));
    const { status } = await app.get("/");

    assert.equal(status, 200);
    assert.deepEqual(named(newest()), [
      ["left", [["synapse", "left", null]]],
      ["right", [["synapse", "right", null]]],
      [
        "flaky",
        [
          ["synapse", "flaky", "ECONNRESET"],
          ["synapse", "flaky", null],
        ],
      ],
    ]);
  });

  test("count as memory of the stored run", async () => {
    const plain = tracedApp((ingress) =>
      ingress.get(
        "/",
        Axon.start("a").thenFn("ask", () => turn(1)),
      ),
    );
    const call = synapse({ name: "ask", call: () => turn(1) });
    const calling = tracedApp((ingress) => ingress.get("/", Axon.start("a").then(call)));
    for (const { app } of [plain, calling]) await app.get("/");

    assert.ok(calling.store.bytes >= plain.store.bytes + JSON.stringify(rowsOf(calling.newest())).length);
  });

  test("that are not over when the run ends say so", async () => {
    let answer = (_: unknown): void => {};
    const asked = new Promise((resolve) => {
      answer = resolve;
    });
    const left = synapse({ name: "left", call: () => asked });
    const step = transition({
      name: "starts it",
      run: (_: unknown, bus) => {
        void left.run(undefined, bus as never);
        return 1;
      },
    });
    const { app, newest } = tracedApp((ingress) => ingress.get("/", Axon.start("left").then(step)));
    await app.get("/");
    answer(undefined);

    assert.deepEqual(
      rowsOf(newest()).flatMap(([, rows]) => rows.map(({ name, is_open }) => [name, is_open])),
      [["left", true]],
    );
  });

  test("are none of a run that is over", async () => {
    let ended: TracedRun | undefined;
    const recorder: Recorder = {
      mounted: (circuit) => circuit.watch({ kind: "all" }),
      ended: (run) => {
        ended = run;
      },
    };
    const app = new TestApp(
      Framework.http({ recorder }).get(
        "/",
        Axon.start("a").thenFn("one", () => 1),
      ),
    );
    await app.get("/");

    assert.equal(ended?.beginInner?.("a/one", { kind: "span", name: "late" }), undefined);
    assert.notEqual(ended?.beginInner, undefined);
  });

  test("are recorded with the names of a step's keys, too", async () => {
    remote.handle = (_, response) => response.end("{}");
    const client = new HttpClient(remote.base);
    const ask = Axon.start("ask").thenFn("ask", { uses: { id: RequestId, trace: TraceContext } }, (_, bus) =>
      client.json(bus, "x"),
    );
    const { app, newest } = tracedApp((ingress) => ingress.get("/", ask));
    await app.get("/");

    assert.deepEqual(named(newest()), [["ask", [["http", `GET ${new URL(remote.base).host}/`, null]]]]);
  });
});

const clock = { now_us: 0 };
const bare = compileRedactor();

describe("recorded work inside a run", () => {
  test("is at most 200 spans, and says how many more there were", () => {
    const spans = new InnerSpans();
    for (let n = 0; n < 205; n += 1) spans.begin("a", { kind: "span", name: "n" }, clock);

    assert.equal(spans.all.length, 200);
    assert.equal(spans.dropped, 5);
  });

  test("is at most 64 KB, whatever the texts are", () => {
    const spans = new InnerSpans();
    const attributes = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, "x".repeat(1e6)]));
    for (let n = 0; n < 50; n += 1)
      spans.begin("a", { kind: "span", name: "n".repeat(1e6), attributes }, clock);
    const rows = innerRows(spans, "full", bare, 0);

    assert.ok(JSON.stringify(rows).length < 64 * 1024, String(JSON.stringify(rows).length));
    assert.ok(spans.all.length > 0 && spans.dropped > 0);
  });

  test("shows texts of statements and queries only where payloads are captured in full", () => {
    const attributes = {
      "db.system.name": "postgresql",
      "db.query.text": "SELECT 'planted'",
      "db.statement": "SELECT 'planted'",
      "db.query.parameter.0": "planted",
      "url.query": "q=planted",
      "http.url": "http://x/planted",
      "http.target": "/planted",
      "url.path": "/planted",
      "db.response.returned_rows": 3,
      "messaging.message.body.size": 12,
    };
    const spans = new InnerSpans();
    spans.begin("a", { kind: "span", name: "SELECT * FROM t WHERE id = 'planted'", attributes }, clock);
    const [off] = innerRows(spans, "off", bare, 0);
    const [full] = innerRows(spans, "full", bare, 0);

    assert.ok(!JSON.stringify(off).includes("planted"));
    assert.equal(off?.name, "SELECT * FROM t WHERE id");
    assert.deepEqual(off?.attributes, {
      "db.system.name": "postgresql",
      "db.response.returned_rows": 3,
      "messaging.message.body.size": 12,
    });
    assert.equal(off?.withheld.length, 7);
    assert.deepEqual(full?.withheld, []);
    assert.ok(JSON.stringify(full?.attributes).includes("SELECT 'planted'"));
  });

  test("never shows a credential, of whatever capture", () => {
    const attributes = {
      "user.password": "planted",
      "http.request.header.authorization": ["Bearer planted"],
      "http.request.header.cookie": ["a=planted"],
      "http.response.header.set-cookie": ["a=planted"],
      card: "planted",
      note: "token=planted",
    };
    const spans = new InnerSpans();
    spans.begin("a", { kind: "span", name: "GET /x?token=planted", attributes }, clock);
    const redactor = compileRedactor({ names: new Set(["card"]) });

    for (const mode of ["off", "hash", "full"] as const)
      assert.doesNotMatch(JSON.stringify(innerRows(spans, mode, redactor, 0)), /planted/);
  });

  test("shows viewers no text of an exception, and no address or identity of the client", () => {
    const attributes = {
      "exception.message": "planted",
      "exception.stacktrace": "planted",
      "client.address": "planted",
      "enduser.id": "planted",
      "user.email": "planted",
      "db.system.name": "postgresql",
    };
    const spans = new InnerSpans();
    spans.begin("a", { kind: "span", name: "n", attributes }, clock);
    const [row] = innerRows(spans, "full", bare, 0);
    assert.ok(row !== undefined);

    assert.deepEqual(rowForViewers(row).attributes, { "db.system.name": "postgresql" });
    assert.equal(JSON.stringify(row.attributes).match(/planted/g)?.length, 5);
  });

  test("keeps hostile names as text, and none of them reaches a prototype", () => {
    const spans = new InnerSpans();
    const attributes = JSON.parse('{"__proto__": "x", "constructor": "y", "\\u202eevil": 1}');
    spans.begin("a", { kind: "span", name: "\u202e<img src=x>\u0007", attributes }, clock);
    const [row] = innerRows(spans, "full", bare, 0);

    assert.equal(row?.name, "\\u202e<img src=x>\\u0007");
    assert.equal(Object.getPrototypeOf({}).x, undefined);
    assert.ok(Object.hasOwn(row?.attributes as object, "constructor"));
  });

  test("ends once: a body that fails behind its head changes nothing", () => {
    const spans = new InnerSpans();
    const span = spans.begin("a", { kind: "http", name: "n" }, clock);
    span?.end({ tookUs: 5 });
    span?.end({ tookUs: 9, failed: "UPSTREAM_FAILED" });

    assert.deepEqual([span?.tookUs, span?.failed], [5, undefined]);
  });

  test("is drawn with each span behind the one around it", () => {
    const spans = new InnerSpans();
    const outer = spans.begin("a", { kind: "span", name: "outer" }, clock);
    spans.begin("a", { kind: "span", name: "other" }, clock);
    spans.begin("a", { kind: "span", name: "inner", parent: outer }, clock);
    const rows = innerRows(spans, "off", bare, 0);

    assert.deepEqual(
      rows.map(({ name, depth }) => [name, depth]),
      [
        ["outer", 0],
        ["inner", 1],
        ["other", 0],
      ],
    );
    assert.equal(rowsByVisit(rows, []).size, 0);
  });
});
