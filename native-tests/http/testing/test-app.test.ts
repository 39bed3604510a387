import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  bytes,
  cookie,
  Framework,
  fault,
  guard,
  header,
  pass,
  RequestId,
  respond,
  TraceContext,
  text,
} from "framework";
import { TestApp, type TestRequest } from "framework/http";

const step = (name: string, run: (input: unknown) => unknown) => Axon.start(name).thenFn(name, run);
const echo = Axon.start<string>("echo").thenFn("echo", (body) => body);
const app = new TestApp(
  Framework.http()
    .post("/", echo, { input: text() })
    .post("/bytes", Axon.start<Uint8Array>("bytes"), { input: bytes() })
    .get(
      "/",
      Axon.start("h").thenFn("h", (_, bus) => ({ host: bus.get(header("host")), c: bus.find(cookie("a")) }), {
        reads: [header("host")],
        mayRead: [cookie("a")],
      }),
    ),
);

describe("TestApp", () => {
  test("keeps its log from stdout, and gives it to the test", async () => {
    const lines: Record<string, unknown>[] = [];
    const broken = Framework.http().get(
      "/",
      step("fail", () => fault("no problem")),
    );

    assert.equal((await new TestApp(broken, {}, { log: lines }).get("/")).status, 500);
    assert.equal((await new TestApp(broken, {}, { log: "silent" }).get("/")).status, 500);
    assert.deepEqual(
      lines.map(({ level, code, axon }) => ({ level, code, axon })),
      [{ level: 50, code: "FAULT_UNMAPPED", axon: "fail" }],
    );
    assert.throws(() => new TestApp(broken, {}, { log: "quiet" as "silent" }), { code: "CONFIG_INVALID" });
  });

  test("sends headers, cookies and bodies as a client would", async () => {
    assert.deepEqual((await app.get("/")).json, { host: "test.local" });
    assert.deepEqual((await app.get("/", { headers: { Host: "other" }, cookies: { a: "b c" } })).json, {
      host: "other",
      c: "b c",
    });
    assert.equal((await app.post("/", { json: { a: 1 } })).text, '{"a":1}');
  });

  test("sends a header of several lines", async () => {
    const traced = new TestApp(
      Framework.http().get(
        "/",
        Axon.start("t").thenFn("t", (_, bus) => bus.get(TraceContext).traceState, { reads: [TraceContext] }),
      ),
    );
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const state = async (headers: NonNullable<TestRequest["headers"]>) =>
      (await traced.get("/", { headers })).text;

    assert.equal(await state({ traceparent, tracestate: ["a=1", "b=2"] }), "a=1,b=2");
    assert.equal(await state({ traceparent: [traceparent, traceparent], tracestate: "a=1" }), "");
  });

  test("sends forms and files", async () => {
    const form = await app.post("/", { form: { "a b": "ü&", list: [1, true], none: undefined } });
    const record = await app.post("/", {
      multipart: { note: ["one", "two"], file: new File(["hello"], "a.txt", { type: "text/plain" }) },
    });
    const data = new FormData();
    data.append("note", "one");
    const whole = await app.post("/", { multipart: data });

    assert.equal(form.text, "a+b=%C3%BC%26&list=1&list=true");
    assert.match(
      record.text,
      /name="note"\r\n\r\none\r\n[\s\S]*name="note"\r\n\r\ntwo\r\n[\s\S]*name="file"; filename="a.txt"\r\nContent-Type: text\/plain\r\n\r\nhello\r\n/,
    );
    assert.match(whole.text, /name="note"\r\n\r\none\r\n/);
  });

  test("refuses what no client can send", async () => {
    for (const [target, request] of [
      ["nowhere", {}],
      ["/", { json: 1, body: "x" }],
      ["/", { form: {}, multipart: {} }],
      ["/", { headers: { "a b": "x" } }],
      ["/", { headers: { a: "x\r\nb: y" } }],
      ["/", { peer: "localhost" }],
    ] as const) {
      await assert.rejects(app.post(target, request), { code: "CONFIG_INVALID" });
    }
    await assert.rejects(app.post("/", { jsn: 1 } as object), {
      code: "CONFIG_INVALID",
      message: "The TestApp's request to / has no option 'jsn': did you mean json?",
    });
  });

  test("shows what came instead of a problem", async () => {
    const answer = await app.post("/", { body: "plain" });

    assert.throws(() => answer.problem, /Not a problem but 200 text\/plain; charset=utf-8: plain/);
    assert.throws(() => answer.json);
  });

  test("follows no redirect, and shows it", async () => {
    const moving = new TestApp(
      Framework.http().get(
        "/",
        step("move", () => respond({ status: 302, headers: { location: "/elsewhere" } })),
      ),
    );
    const { status, headers } = await moving.get("/");

    assert.deepEqual([status, headers["location"]], [302, "/elsewhere"]);
  });

  test("serves requests at once, which end in any order", async () => {
    const waiting: (() => void)[] = [];
    const slow = new TestApp(
      Framework.http().get(
        "/:id",
        Axon.start("slow").thenFn(
          "slow",
          (_, bus) => new Promise<string>((resolve) => waiting.push(() => resolve(bus.get(RequestId)))),
          { reads: [RequestId] },
        ),
      ),
    );
    const ask = (id: string) => slow.get(`/${id}`, { headers: { "x-request-id": id } });
    const answers = [ask("a"), ask("b"), ask("c")];
    for (const end of waiting.reverse()) end();

    assert.deepEqual(
      (await Promise.all(answers)).map(({ text: id }) => id),
      ["a", "b", "c"],
    );
  });
});

describe("a body in pieces", () => {
  const post = async (body: NonNullable<TestRequest["body"]>, headers: TestRequest["headers"] = {}) =>
    app.post("/bytes", { body, headers });

  test("arrives whole, text and bytes, from a list or a generator", async () => {
    async function* generated() {
      yield "one ";
      await new Promise((resolve) => setImmediate(resolve));
      yield Buffer.from("two");
    }

    assert.equal((await post(["one ", Buffer.from("two")])).text, "one two");
    assert.equal((await post(generated())).text, "one two");
    assert.equal((await post([])).text, "");
    assert.equal((await post(["one ", "two"], { "content-length": "7" })).text, "one two");
  });

  test("is asked for no more than is discarded before the answer", async () => {
    let asked = 0;
    let left = false;
    function* endless() {
      try {
        for (;;) {
          asked += 1;
          yield "x".repeat(300_000);
        }
      } finally {
        left = true;
      }
    }
    const { status } = await post(endless());
    while (!left) await new Promise((resolve) => setImmediate(resolve));

    assert.equal(status, 413);
    assert.ok(asked < 35, `${asked} pieces`);
  });

  test("that breaks off is a client that goes away", async () => {
    function* broken() {
      yield "one";
      throw new Error("broken");
    }

    await assert.rejects(post(broken()), /broken/);
  });

  test("is held back while a guard has not decided", async () => {
    let decide = (): void => {};
    const deciding = new Promise<void>((resolve) => {
      decide = resolve;
    });
    const gate = guard({ name: "gate", run: (input: unknown) => deciding.then(() => pass(input)) });
    const guarded = new TestApp(
      Framework.http().guard(gate).post("/", Axon.start<Uint8Array>("b"), { input: bytes() }),
    );
    const asked: string[] = [];
    function* pieces() {
      for (const piece of ["a", "b", "c"]) {
        asked.push(piece);
        yield piece;
      }
    }
    const call = guarded.post("/", { body: pieces() });
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(asked, ["a"]);
    decide();

    assert.equal((await call).text, "abc");
  });

  test("that does not come is 408", async () => {
    const impatient = new TestApp(
      Framework.http({ bodyTimeoutMs: 1 }).post("/", Axon.start<Uint8Array>("b"), { input: bytes() }),
    );
    const { status } = await impatient.post("/", { body: ["x"], headers: { "content-length": "2" } });

    assert.equal(status, 408);
  });
});

describe("a client that goes away", () => {
  const aborts: string[] = [];
  const slow = new TestApp(
    Framework.http().get(
      "/",
      Axon.start("slow").thenFn("slow", (_, bus) => {
        aborts.push("begun");
        bus.signal.addEventListener("abort", () => aborts.push("aborted"));
        return new Promise<string>(() => {});
      }),
    ),
  );

  test("ends its call and its run", async () => {
    aborts.length = 0;
    const controller = new AbortController();
    const call = slow.get("/", { signal: controller.signal });
    controller.abort(new Error("gone"));

    await assert.rejects(call, /gone/);
    assert.deepEqual(aborts, ["begun", "aborted"]);
  });

  test("before it begins begins nothing", async () => {
    aborts.length = 0;

    await assert.rejects(slow.get("/", { signal: AbortSignal.abort(new Error("gone")) }), /gone/);
    assert.deepEqual(aborts, []);
  });
});

describe("a session", () => {
  const setting = (...lines: readonly string[]) =>
    step("set", () => respond({ cookies: lines.map((line) => ({ name: "sid", line })) }));
  const visits = new TestApp(
    Framework.http()
      .post("/login", setting("sid=ada%20l; Path=/; HttpOnly", "theme=dark; Path=/settings"))
      .post("/logout", setting("sid=; Path=/; Max-Age=0"))
      .get(
        "/",
        Axon.start("c").thenFn("c", (_, bus) => bus.find(header("cookie")) ?? "none", {
          mayRead: [header("cookie")],
        }),
      ),
  );

  test("sends what its answers set, until they take it back", async () => {
    const ada = visits.session();
    const { setCookies } = await ada.post("/login");

    assert.deepEqual(setCookies, ["sid=ada%20l; Path=/; HttpOnly", "theme=dark; Path=/settings"]);
    assert.equal((await ada.get("/")).text, "sid=ada%20l");
    await ada.post("/logout");
    assert.equal((await ada.get("/")).text, "none");
  });

  test("is one client's alone, and the request's own cookies go before its", async () => {
    const [ada, bob] = [visits.session(), visits.session()];
    await ada.post("/login");

    assert.equal((await bob.get("/")).text, "none");
    assert.equal((await visits.get("/")).text, "none");
    assert.equal((await ada.get("/", { cookies: { lang: "de" } })).text, "sid=ada%20l; lang=de");
    assert.equal((await ada.get("/", { cookies: { sid: "eve" } })).text, "sid=eve");
    assert.equal((await ada.get("/", { headers: { cookie: "x=1" } })).text, "x=1");
  });
});
