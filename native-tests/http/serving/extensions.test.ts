import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  Framework,
  fault,
  guard,
  header,
  MemoryDeadLetters,
  pass,
  type Recorder,
  type Report,
  Type,
  transition,
} from "framework";

import { TestApp } from "framework/http";
import { DlqPolicy, redrive } from "framework/runtime";
import type { CountedAnswer } from "#core/ports/answer-observer.js";
import type { Extension, ExtensionHost } from "#http/plan/extension.js";
import { closed } from "../../support/guarded-orders.js";
import { loadedExtension } from "../../support/loaded-extension.js";

const Db = busKey<{ readonly name: string }>()("Db");

const hello = Axon.start("hello").thenFn("say", () => "hello");

const closing = guard({
  name: "closing",
  mayRead: [header("x-closed")],
  run: (input, bus) => (bus.find(header("x-closed")) === undefined ? pass(input) : fault(closed)),
});

const JSON_BODY = [["content-type", "application/json"]] as const;

/** An ingress with one extension, of which each server has its own. */
function extended(make: () => Partial<Extension>) {
  const ingress = Framework.http({ processGuards: false, reporter: () => {} })
    .get("/hello", hello)
    .post(
      "/echo",
      Axon.start("echo", Type.Object({})).thenFn("say", () => "echoed"),
    );
  ingress.plan = { ...ingress.plan, extensions: [loadedExtension(() => ({ name: "test", ...make() }))] };
  return ingress;
}

/** What it was shown of its server. */
function hosted() {
  const shown: { host?: ExtensionHost } = {};
  const start: Extension["start"] = (host) => {
    shown.host = host;
    return undefined;
  };
  return { shown, start };
}

describe("an extension of an ingress", () => {
  test("is made for each server, begins before it listens and ends behind the last answer", async () => {
    const log: string[] = [];
    let made = 0;
    const ingress = extended(() => {
      made += 1;
      const own = made;
      return {
        start: () => {
          log.push(`start ${own}`);
          return {
            listening: (url) => log.push(`listening ${own} ${url.replace(/\d+$/, "PORT")}`),
            stopping: () => log.push(`stopping ${own}`),
            stop: () => log.push(`stop ${own}`),
          };
        },
      };
    })
      .onStart(() => {
        log.push("onStart");
        return () => log.push("undone onStart");
      })
      .onReady(() => {
        log.push("onReady");
        return () => log.push("undone onReady");
      })
      .bind("127.0.0.1:0");
    const server = await ingress.run();
    await server.close();
    const first = log.splice(0);
    await using app = new TestApp(ingress);
    await app.get("/hello");
    await app.close();

    assert.deepEqual(first, [
      "onStart",
      "start 1",
      "listening 1 http://127.0.0.1:PORT",
      "onReady",
      "stopping 1",
      "undone onReady",
      "stop 1",
      "undone onStart",
    ]);
    assert.deepEqual(
      log,
      first.map((line) =>
        line.replace("1 http://127.0.0.1:PORT", "2 http://test.local:PORT").replace(" 1", " 2"),
      ),
    );
  });

  test("that cannot start keeps the server from listening, which undoes what had begun", async () => {
    const log: string[] = [];
    const ingress = extended(() => ({
      start: () => {
        throw new Error("the port is taken");
      },
    }))
      .onStart(() => () => log.push("undone"))
      .bind("127.0.0.1:0");

    await assert.rejects(ingress.run(), { code: "START_FAILED", message: /extension 'test' failed/ });
    assert.deepEqual(log, ["undone"]);
  });

  test("that fails while it stops is reported, and the server stops all the same", async () => {
    const reports: Report[] = [];
    const ingress = extended(() => ({
      start: () => ({
        stopping: () => {
          throw new Error("one");
        },
        stop: () => Promise.reject(new Error("two")),
      }),
    }));
    ingress.plan = { ...ingress.plan, reporter: (report) => reports.push(report) };
    const app = new TestApp(ingress);
    await app.get("/hello");
    await app.close();

    assert.deepEqual(
      reports.map(({ code, error }) => [code, (error as Error).message]),
      [
        ["SHUTDOWN_FAILED", "one"],
        ["SHUTDOWN_FAILED", "two"],
      ],
    );
  });

  test("is told of every answer: of routes, probes, refusals, and what no route serves", async () => {
    const told: string[] = [];
    const count = ({ method, path, route, status, isAborted }: CountedAnswer): void => {
      told.push(`${method} ${path} ${route} ${status} ${isAborted}`);
    };
    const ingress = extended(() => ({ count }))
      .readinessLivenessDefault()
      .guard(closing);
    await using app = new TestApp(ingress);
    await app.get("/hello");
    await app.get("/hello", { headers: { "x-closed": "1" } });
    await app.get("/live");
    await app.get("/nowhere");
    await app.send("DELETE", "/hello");
    await app.get("/hello", { headers: { host: "a b" } });

    assert.deepEqual(told, [
      "GET /hello /hello 200 false",
      "GET /hello /hello 403 false",
      "GET /live /live 200 false",
      "GET /nowhere undefined 404 false",
      "DELETE /hello undefined 405 false",
      "GET /hello undefined 400 false",
    ]);
  });

  test("watches runs beside the recorder of the ingress: each says how closely, and both are told", async () => {
    const told: string[] = [];
    const recorder = (name: string, kind: "all" | "counted"): Recorder => ({
      mounted: (circuit) => circuit.watch({ kind }, { name }),
      ended: ({ circuit }) => {
        told.push(`${name} ${circuit.name}`);
        if (name === "own") throw new Error("mine");
      },
    });
    const reports: Report[] = [];
    const ingress = extended(() => ({ recorder: recorder("test", "counted") }));
    ingress.plan = {
      ...ingress.plan,
      recorder: recorder("own", "all"),
      reporter: (report) => reports.push(report),
    };
    await using app = new TestApp(ingress);
    await app.get("/hello");
    await new Promise((resolve) => setImmediate(resolve));

    assert.deepEqual(told, ["own hello", "test hello"]);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["RECORDER_FAILED"],
    );
  });

  test("knows routes, circuits, Axons, resources and where dead letters go", async () => {
    const { shown, start } = hosted();
    const letters = new MemoryDeadLetters();
    const failing = Axon.start<string>("failing")
      .then(
        transition({
          name: "store",
          reads: [Db],
          run: (text: string, bus) => (bus.get(Db).name === "down" ? fault("down") : `${text} stored`),
        }),
      )
      .withDlqSink(letters)
      .withDlqPolicy(DlqPolicy.send());
    const ingress = Framework.http({ resources: [Db], reporter: () => {} }).get(
      "/failing",
      Axon.start("made")
        .thenFn("make", () => "work")
        .then(failing.asTransition()),
    );
    ingress.plan = {
      ...ingress.plan,
      extensions: [loadedExtension(() => ({ name: "test", recorder: {}, start }))],
    };
    const db = { name: "down" };
    await using app = new TestApp(ingress, { Db: db });
    await app.get("/failing");
    const { host } = shown as { host: ExtensionHost };

    assert.deepEqual(
      host.routes.map(({ method, path, axon }) => `${method} ${path} ${axon}`),
      ["GET /failing made"],
    );
    assert.deepEqual(
      host.circuits.map(({ name, nodes }) => [name, nodes.map(({ id }) => id)]),
      [["made", ["made/make", "made/failing/store"]]],
    );
    assert.deepEqual(host.deadLetters, [letters]);
    assert.deepEqual(host.load(), { requests: 0, runs: 0, connections: 0, webSockets: 0 });
    const [letter] = letters.list();
    const [definition] = host.axons;
    db.name = "up";
    const redriven = await redrive(
      letters,
      letter?.id ?? "",
      { name: "made", definition } as never,
      host.resources as never,
    );
    assert.deepEqual(redriven, { kind: "done", outcome: "work stored" });
  });
});

describe("a request that an extension sends", () => {
  const sending = async (ingress: ReturnType<typeof extended>, shown: { host?: ExtensionHost }) => {
    const app = new TestApp(ingress);
    await app.start();
    return { app, host: shown.host as ExtensionHost };
  };

  test("goes through gate, guards and circuit, and is found by its id", async () => {
    const { shown, start } = hosted();
    const ids: (string | undefined)[] = [];
    const { app, host } = await sending(
      extended(() => ({
        start,
        recorder: {
          mounted: (circuit) => circuit.watch({ kind: "all" }),
          ended: ({ request }) => ids.push(request?.requestId),
        },
      })).guard(closing),
      shown,
    );
    const answers = [
      await host.send({ method: "GET", target: "/hello?a=b", requestId: "mine" }),
      await host.send({ method: "POST", target: "/echo", headers: JSON_BODY, body: Buffer.from("{}") }),
      await host.send({ method: "GET", target: "/hello", headers: [["x-closed", "1"]] }),
      await host.send({ method: "GET", target: "/a\nb" }),
      await host.send({ method: "GET", target: "/nowhere" }),
    ];
    await app.close();

    assert.deepEqual(
      answers.map(({ status, isWhole }) => [status, isWhole]),
      [200, 200, 403, 400, 404].map((status) => [status, true]),
    );
    assert.equal(Buffer.from(answers[0]?.body ?? []).toString(), "hello");
    assert.deepEqual(
      answers[0]?.headers.find(([name]) => name === "content-type"),
      ["content-type", "text/plain; charset=utf-8"],
    );
    assert.equal(ids[0], "mine");
  });

  test("has the host and the framing of its own", async () => {
    const { shown, start } = hosted();
    const ingress = extended(() => ({ start }));
    ingress.plan = {
      ...ingress.plan,
      allowedHosts: ["*.example.org"],
      proxyProtocol: "v2",
      trustedProxies: ["10.0.0.0/8"],
    };
    const { app, host } = await sending(ingress, shown);
    const { status } = await host.send({
      method: "POST",
      target: "/echo",
      headers: [["Host", "evil"], ["Content-Length", "99"], ["Transfer-Encoding", "chunked"], ...JSON_BODY],
      body: Buffer.from("{}"),
    });
    await app.close();

    assert.equal(status, 200);
  });

  test("goes away when its signal fires, and from an answer without end", async () => {
    const { shown, start } = hosted();
    const ingress = extended(() => ({ start }))
      .get(
        "/hang",
        Axon.start("hang").thenFn(
          "hang",
          (_, bus) =>
            new Promise<string>((resolve) => bus.signal.addEventListener("abort", () => resolve(""))),
        ),
      )
      .get(
        "/endless",
        Axon.start("endless").thenFn("go", async function* () {
          for (;;) {
            yield "x".repeat(1000);
            await new Promise((resolve) => setImmediate(resolve));
          }
        }),
      );
    const { app, host } = await sending(ingress, shown);
    const leaving = new AbortController();
    const hanging = host.send({ method: "GET", target: "/hang", signal: leaving.signal });
    const { requests, runs } = host.load();
    leaving.abort();
    const [gone, endless] = [
      await hanging,
      await host.send({ method: "GET", target: "/endless", maxAnswerBytes: 5000 }),
    ];
    await app.close();

    assert.deepEqual([requests, runs], [1, 1]);
    assert.deepEqual([gone.status, gone.isWhole], [0, false]);
    assert.deepEqual([endless.status, endless.isWhole], [200, false]);
    assert.ok(endless.body.length < 20_000, `${endless.body.length}`);
  });
});
