// The Inspector of an ingress: what is said of it, when it begins, what it shows.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, BearerAuth, Framework, FrameworkConfig, fault, ProblemDetail, Type } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

import { VERSION } from "#inspector/api/version.js";
import { until } from "../support/patience.js";
import { get, talk } from "../support/wire.js";

const OPERATOR = "operator-token-0123456789";
const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
const auth = BearerAuth.tokens({ operator: OPERATOR });

const User = Type.Object({ id: Type.Integer({ minimum: 1 }), password: Type.Optional(Type.String()) });
const user = Axon.start("user", User).thenFn("show", (given) =>
  given.id === 3
    ? fault(new ProblemDetail({ status: 409, code: "CONFLICT", title: "It cannot be shown" }))
    : { id: given.id },
);
const service = () => Framework.http().get("/users/:id", user).post("/users", user);

test("the Inspector of a TestApp is asked as every TestApp is, by whatever name", async () => {
  const ingress = service().inspector({ enabled: true });
  await using app = new TestApp(ingress);
  await app.start();
  const { app: inspector, token } = inspectorOf(ingress);
  const authorization = `Bearer ${token}`;

  assert.equal((await inspector.get("/status", { headers: { authorization } })).status, 200);
  const elsewhere = { authorization, host: "elsewhere.example" };
  assert.equal((await inspector.get("/status", { headers: elsewhere })).status, 421);
});

test("the Inspector answers by the address it listens on, which may be any of loopback", async () => {
  const { inspector, close } = await inspected({ host: "127.0.0.2" });
  const statusBy = async (host: string) =>
    (await inspector.get("/status", { headers: { ...headers, host } })).status;

  assert.deepEqual([await statusBy("127.0.0.2"), await statusBy("127.0.0.3")], [200, 421]);
  await close();
});

/** The service with its Inspector, both in memory. */
async function inspected(options: Parameters<ReturnType<typeof service>["inspector"]>[0] = {}) {
  const ingress = service().inspector({ enabled: true, auth, ...options });
  const app = new TestApp(ingress);
  await app.start();
  const { app: inspector, token } = inspectorOf(ingress);
  const ask = async (path: string): Promise<any> =>
    ((await inspector.get(path, { headers })).json as { data: unknown }).data;
  return {
    app,
    inspector,
    token,
    ask,
    close: async () => {
      await app.close();
      await inspector.close();
    },
  };
}

describe("an ingress with an Inspector", () => {
  test("shows the runs of its requests, their faults and their statuses", async () => {
    const { app, ask, close } = await inspected();
    for (const path of ["/users/1", "/users/3", "/users/0"]) await app.get(path);
    const { traces } = await ask("/api/v1/traces?circuit=user");

    assert.deepEqual(
      traces.map(({ status, request }: any) => [status, request.http_status]),
      [
        ["refused_input", 422],
        ["faulted", 409],
        ["completed", 200],
      ],
    );
    assert.deepEqual([traces[0].fault.code, traces[1].fault.code], ["INPUT_INVALID", "CONFLICT"]);
    traces.shift();
    const one = await ask(`/api/v1/traces/${traces[0].run_id}`);
    assert.deepEqual([one.nodes[0].label, one.nodes[0].input.kind], ["show", "off"]);
    const diff = await ask(`/api/v1/traces/diff?a=${traces[0].run_id}&b=${traces[1].run_id}`);
    assert.notEqual(diff.parted, null);
    await close();
  });

  test("sends a request in process, and tells its run", async () => {
    const { inspector, ask, close } = await inspected({ capturePayloads: "full" });
    const json = { method: "POST", path: "/users?x=1", body: { id: 7, password: "hunter2-hunter2" } };
    const { data } = (await inspector.post("/api/v1/relay", { headers, json })).json as { data: any };

    assert.deepEqual([data.status, data.encoding, data.body], [200, "json", { id: 7 }]);
    const { nodes, run } = await ask(`/api/v1/traces/${data.run_id}`);
    assert.equal(nodes[0].input.value.id, 7);
    assert.equal(run.request.path, "/users");
    assert.ok(!JSON.stringify(nodes).includes("hunter2"));
    await close();
  });

  test("holds a run at a breakpoint until somebody lets it go, and tells the feed", async () => {
    const { app, inspector, close } = await inspected({ capturePayloads: "full" });
    const socket = await inspector.ws("/api/v1/events", { headers });
    await socket.next();
    const json = { node_id: "user/show", condition: "id == 5" };
    const set = await inspector.post("/api/v1/breakpoints", { headers, json });
    assert.equal(set.status, 201);
    assert.match(set.headers["location"] ?? "", /^\/api\/v1\/breakpoints\/./);
    const held = app.get("/users/5");
    const paused = async (): Promise<any[]> =>
      ((await inspector.get("/api/v1/paused", { headers })).json as any).data.paused;
    await until("a held run", async () => (await paused()).length === 1);
    const [{ id, input }] = await paused();
    assert.deepEqual(input.value, { id: 5 });
    const released = await inspector.post(`/api/v1/paused/${id}/resume`, {
      headers,
      json: { input: { id: 6 } },
    });
    assert.equal(released.status, 200);

    assert.deepEqual((await held).json, { id: 6 });
    const kinds = new Set<string>();
    while (!kinds.has("node_resumed"))
      for (const { kind } of JSON.parse((await socket.next()) as string).events) kinds.add(kind);
    assert.ok(kinds.has("node_paused") && kinds.has("breakpoint"));
    assert.equal(
      (await inspector.post(`/api/v1/paused/${id}/abort`, { headers })).problem.code,
      "PAUSED_RUN_UNKNOWN",
    );
    void socket.close();
    await close();
  });

  test("lets held runs go when the server is to stop", async () => {
    const { app, inspector } = await inspected();
    const json = { node_id: "user/show", hold_ms: 100_000 };
    await inspector.post("/api/v1/breakpoints", { headers, json });
    const held = app.get("/users/5");
    await until("a held run", async () => {
      const { data } = (await inspector.get("/api/v1/paused", { headers })).json as any;
      return data.paused.length === 1;
    });
    await app.close();

    assert.equal((await held).status, 200);
    await inspector.close();
  });

  test("says what it is, and no secret of its configuration", async () => {
    const env = {
      FRAMEWORK_PROFILE: "dev",
      FRAMEWORK_INSPECTOR_BEARER_TOKEN: OPERATOR,
      FRAMEWORK_PERSISTENCE_URL: "postgres://app:hunter22@db.example/shop",
    };
    const config = FrameworkConfig.load({ env, cwd: "/" });
    const ingress = service().inspector({ enabled: true }).config(config);
    const app = new TestApp(ingress);
    await app.start();
    const { app: inspector } = inspectorOf(ingress);
    const text = (await inspector.get("/status", { headers })).text;
    const { data } = JSON.parse(text);

    assert.ok(!text.includes(OPERATOR) && !text.includes("hunter22"));
    const url = data.configuration.find(({ key }: any) => key === "persistence.url");
    assert.equal(url.value, "postgres://[redacted]@db.example/shop");
    assert.equal(data.framework, VERSION);
    assert.equal(data.crates.length, 10);
    assert.match(data.native_server.sha256, /^[0-9a-f]{64}$/);
    const token = data.configuration.find(({ key }: any) => key === "inspector.bearer_token");
    assert.deepEqual(
      [token.value, token.from.includes("FRAMEWORK_INSPECTOR_BEARER_TOKEN")],
      ["[redacted]", true],
    );
    await app.close();
    await inspector.close();
  });

  test("listens where it is told, tells the link once, and stops with the server", async () => {
    const links: string[] = [];
    const server = await service()
      .inspector({ enabled: true, port: 0, announce: (link) => links.push(link) })
      .bind("127.0.0.1:0")
      .run();
    const [, address = "", token = ""] = /^http:\/\/([^/]+)\/#token=([\w-]{32})$/.exec(links[0] ?? "") ?? [];
    const ask = async (authorization: string): Promise<number | undefined> =>
      (
        await talk(
          address,
          `GET /status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${authorization}\r\n\r\n`,
          { until: 1 },
        )
      ).replies[0]?.status;

    const statuses = [await ask(token), await ask("wrong-token-0123456789")];
    await server.close();

    assert.equal(links.length, 1);
    assert.deepEqual(statuses, [200, 401]);
    assert.equal((await talk(address, get("/healthz"))).replies.length, 0);
  });

  test("refuses to begin in production where nobody could use it", async () => {
    const ingress = service().inspector({ enabled: true });
    ingress.plan = { ...ingress.plan, production: true };

    await assert.rejects(ingress.bind("127.0.0.1:0").run(), { code: "INSPECTOR_TOKEN_MISSING" });
  });

  test("begins nothing where its address is taken, and says which", async () => {
    const links: string[] = [];
    const one = await service()
      .inspector({ enabled: true, port: 0, announce: (link) => links.push(link) })
      .bind("127.0.0.1:0")
      .run();
    const port = Number(new URL(links[0] ?? "").port);

    await assert.rejects(
      service().inspector({ enabled: true, auth, port }).bind("127.0.0.1:0").run(),
      (error: any) => {
        assert.equal(error.code, "START_FAILED");
        return error.cause.code === "LISTEN_FAILED" && error.cause.message.includes(String(port));
      },
    );
    await one.close();
  });

  test("is off in production unless it is asked for, and costs nothing there", async () => {
    const ingress = service().inspector();
    ingress.plan = { ...ingress.plan, production: true };
    const app = new TestApp(ingress);
    await app.start();

    assert.throws(() => inspectorOf(ingress));
    await app.close();
  });

  test("takes from the configuration what that sets, and what is said later wins", async () => {
    const env = {
      FRAMEWORK_PROFILE: "dev",
      FRAMEWORK_INSPECTOR_ENABLED: "true",
      FRAMEWORK_INSPECTOR_CAPTURE_PAYLOADS: "hash",
    };
    const config = FrameworkConfig.load({ env, cwd: "/" });
    const payloads = async (ingress: ReturnType<typeof service>): Promise<string> => {
      const app = new TestApp(ingress);
      await app.start();
      const { app: inspector, token } = inspectorOf(ingress);
      const own = { host: "localhost", authorization: `Bearer ${token ?? OPERATOR}` };
      const { data } = (await inspector.get("/status", { headers: own })).json as any;
      await app.close();
      await inspector.close();
      return data.capabilities.find(({ name }: any) => name === "payloads").note;
    };

    assert.equal(await payloads(service().config(config)), "hash");
    assert.equal(await payloads(service().inspector({ capturePayloads: "full" }).config(config)), "hash");
    assert.equal(
      await payloads(service().config(config).inspector({ capturePayloads: "full", auth })),
      "full",
    );
  });

  test("refuses options that it does not know or cannot keep", () => {
    for (const wrong of [
      { prot: 1 },
      { port: -1 },
      { sampleRatio: 2 },
      { auth: "token" },
      { capturePayloads: "all" },
      { metricsIntervalMs: 1 },
    ])
      assert.throws(
        () => service().inspector(wrong as never),
        { code: "CONFIG_INVALID" },
        JSON.stringify(wrong),
      );
  });
});
