import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  EventChannel,
  Framework,
  FrameworkError,
  fault,
  guard,
  header,
  IamPolicy,
  ProblemDetail,
  pass,
  type Report,
  respond,
  type ServerEvent,
  Type,
} from "framework";
import { TestApp } from "framework/http";
import { SecurityHeadersGuard } from "framework/std";

const channelOf = (options: { readonly maxClients?: number } = {}) =>
  new EventChannel<unknown>({ name: "news", epoch: "e", ...options });

const listening = (channel: EventChannel) => Axon.start("listen").thenFn("listen", () => channel.subscribe());

const nothing = Axon.start("nothing").thenFn("nothing", () => undefined);

describe("a route of events", () => {
  test("answers a stream that nobody keeps, compresses or holds back", async () => {
    const channel = channelOf();
    const ingress = Framework.http().guard(new SecurityHeadersGuard()).sse("/events", listening(channel));
    await using app = new TestApp(ingress);
    const events = await app.sse("/events");
    channel.publish({ event: "greeting", data: { hello: "world" } });

    const { "content-type": type, "cache-control": cache, "x-accel-buffering": buffering } = events.headers;
    assert.deepEqual([type, cache, buffering], ["text/event-stream", "no-store, no-transform", "no"]);
    assert.equal(events.headers["x-content-type-options"], "nosniff");
    assert.deepEqual(await events.next(), { event: "greeting", data: '{"hello":"world"}', id: "e-1" });
    assert.equal(events.retryMs, 2000);
  });

  test("answers HEAD with the same head, and subscribes nobody", async () => {
    const channel = channelOf();
    let released = 0;
    const made = Axon.start("made").thenFn(
      "make",
      (): AsyncIterable<ServerEvent> => ({
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.reject(new Error("asked")),
          return: async () => {
            released += 1;
            return { done: true, value: undefined };
          },
        }),
      }),
    );
    await using app = new TestApp(Framework.http().sse("/events", listening(channel)).sse("/made", made));

    for (const path of ["/events", "/made"]) {
      const { status, headers, text } = await app.head(path);
      assert.deepEqual([status, headers["content-type"], text], [200, "text/event-stream", ""]);
    }
    assert.deepEqual([channel.stats.clients, released], [0, 1]);
  });

  test("is refused to who does not take it, before anything runs", async () => {
    let ran = 0;
    const count = Axon.start("count").thenFn("count", () => {
      ran += 1;
    });
    await using app = new TestApp(Framework.http().sse("/events", count));
    const asked = async (accept: string) => (await app.get("/events", { headers: { accept } })).status;

    for (const accept of [
      "application/json",
      "text/html, image/*;q=0.9",
      "text/event-stream;q=0",
      "*/*;q=0.0",
      "text/event-stream;q=0, */*",
    ])
      assert.equal(await asked(accept), 406, accept);
    assert.equal(ran, 0);
    for (const accept of [
      "text/event-stream",
      "TEXT/Event-Stream;q=0.1",
      "*/*",
      "text/html, text/*;q=0.2",
      "text/event-stream, */*;q=0",
      "",
    ])
      assert.equal(await asked(accept), 204, accept);
    assert.equal((await app.get("/events")).status, 204);
    assert.equal((await app.get("/events", { headers: { accept: "a/b" } })).problem.code, "NOT_ACCEPTABLE");
  });

  test("is refused by guards, by identity and by faults as any route is", async () => {
    const channel = channelOf();
    const closed = guard({
      name: "closed",
      mayRead: [header("x-key")],
      run: (input, bus) =>
        bus.find(header("x-key")) === "k"
          ? pass(input)
          : fault(new ProblemDetail({ status: 403, code: "CLOSED", title: "Not you" })),
    });
    const listen = listening(channel);
    const ingress = Framework.http()
      .sse("/guarded", listen, { guards: [closed] })
      .sse(
        "/known",
        listen.withIam(IamPolicy.requireIdentity(), {
          verify: () => ({ subject: "a", roles: [], claims: {} }),
        }),
      )
      .sse(
        "/fault",
        Axon.start("fault").thenFn("refuse", () =>
          fault(new ProblemDetail({ status: 410, code: "OVER", title: "It is over" })),
        ),
      )
      .sse("/over", nothing)
      .sse(
        "/moved",
        Axon.start("moved").thenFn("move", { responses: [{ status: 307 }] }, () =>
          respond({ status: 307, headers: { location: "/events" } }),
        ),
      );
    await using app = new TestApp(ingress);

    assert.equal((await app.get("/guarded")).problem.code, "CLOSED");
    assert.equal((await app.get("/known")).status, 401);
    assert.equal((await app.get("/fault")).problem.code, "OVER");
    assert.equal((await app.get("/over")).status, 204);
    assert.equal((await app.get("/moved")).headers["location"], "/events");
    await assert.rejects(app.sse("/guarded"), /403 .*CLOSED/);
    assert.equal(channel.stats.clients, 0);
    const known = await app.sse("/known", { headers: { authorization: "Bearer t" } });
    channel.publish({ data: 1 });
    assert.equal((await known.next())?.data, "1");
  });

  test("takes no more clients than its channel, or its ingress, has room for", async () => {
    const full = channelOf({ maxClients: 1 });
    await using app = new TestApp(Framework.http().sse("/events", listening(full)));
    const first = await app.sse("/events");
    const { status, headers, problem } = await app.get("/events");
    assert.deepEqual([status, headers["retry-after"], problem.code], [503, "5", "EVENT_STREAMS_FULL"]);
    await first.close();
    await (await app.sse("/events")).close();

    const roomy = channelOf();
    await using small = new TestApp(Framework.http({ maxEventStreams: 2 }).sse("/events", listening(roomy)));
    const two = [await small.sse("/events"), await small.sse("/events")];
    assert.equal((await small.get("/events")).status, 503);
    await two[0]?.close();
    assert.equal(roomy.stats.clients, 1);
    await (await small.sse("/events")).close();
  });

  test("is no request at work: others are served however many streams are open", async () => {
    const channel = channelOf();
    const hello = Axon.start("hello").thenFn("hello", async () => "hello");
    const ingress = Framework.http({ maxInFlight: 1 }).sse("/events", listening(channel)).get("/", hello);
    await using app = new TestApp(ingress);
    const streams = [await app.sse("/events"), await app.sse("/events")];

    assert.equal((await app.get("/")).text, "hello");
    for (const stream of streams) await stream.close();
    assert.equal((await app.get("/")).text, "hello");
  });

  test("is a step of its Axon, behind guards, and in groups like any other", async () => {
    const channel = channelOf();
    const ingress = Framework.http().group("/rooms/:room", { tags: ["rooms"] }, (rooms) =>
      rooms.sse("/events", listening(channel), { summary: "What is said", heartbeatMs: 1000 }),
    );
    const [route] = ingress.routes();
    await using app = new TestApp(ingress);
    await using events = await app.sse("/rooms/a/events");

    assert.deepEqual(
      [route?.method, route?.path, route?.axon, route?.guards, route?.tags, route?.summary],
      ["GET", "/rooms/:room/events", "listen", ["AcceptsEvents"], ["rooms"], "What is said"],
    );
    assert.equal(events.end, undefined);
  });

  test("ends its streams when the server stops, and tells each client when to come back", async () => {
    const channel = channelOf();
    const app = new TestApp(
      Framework.http().sse("/events", listening(channel), { retryMs: 100, random: () => 0.5 }),
    );
    const events = await app.sse("/events");
    const began = performance.now();
    await app.close();

    assert.deepEqual([await events.next(), events.end, events.retryMs], [undefined, "whole", 200]);
    assert.ok(performance.now() - began < 5000, "nobody waited for it");
  });

  test("cuts a stream whose source fails, so that its client comes back, and reports it", async () => {
    const reports: Report[] = [];
    const broken = Axon.start("broken").thenFn("make", async function* () {
      yield { data: "first" };
      throw new Error("halfway");
    });
    await using app = new TestApp(
      Framework.http({ reporter: (report) => reports.push(report) }).sse("/events", broken),
    );
    const events = await app.sse("/events");

    assert.deepEqual(
      [(await events.next())?.data, await events.next(), events.end],
      ["first", undefined, "cut"],
    );
    assert.deepEqual(
      reports.map(({ code, axon }) => [code, axon]),
      [["EVENTS_FAILED", "broken"]],
    );
  });

  test("answers 500, and says what to do, where an Axon gives what are no events", async () => {
    const reports: Report[] = [];
    const untyped = Axon.start("untyped").thenFn("give", () => ({ n: 1 })) as unknown as typeof nothing;
    const channel = channelOf();
    const ingress = Framework.http({ reporter: (report) => reports.push(report) })
      .sse("/untyped", untyped)
      .get("/elsewhere", listening(channel));
    await using app = new TestApp(ingress);

    assert.equal((await app.get("/untyped")).status, 500);
    assert.equal((await app.get("/elsewhere")).status, 500);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["TRANSITION_PANIC", "ANSWER_FAILED"],
    );
    assert.match(String(reports[0]?.error), /channel\.subscribe\(\)/);
    assert.match(String(reports[1]?.error), /sse\(path, axon\)/);
  });

  test("is refused early with options that are out of range, or unknown", () => {
    const isInvalid = (error: unknown) => error instanceof FrameworkError && error.code === "CONFIG_INVALID";
    for (const options of [
      { heartbeatMs: 0 },
      { retryMs: -1 },
      { hearbeatMs: 5 },
      { random: 1 },
      { maxEventBytes: 1 },
      { check: "x" },
    ])
      assert.throws(
        () => Framework.http().sse("/events", nothing, options as object),
        isInvalid,
        JSON.stringify(options),
      );
    for (const options of [
      { history: { events: 0 } },
      { history: { bytes: 100 } },
      { maxClients: 0 },
      { history: { size: 1 } },
      { epoch: "a\n" },
    ])
      assert.throws(
        () => new EventChannel({ name: "c", ...(options as object) }),
        (error: unknown) => error instanceof FrameworkError,
      );
    assert.throws(() => channelOf().subscribe({ filer: () => true } as object), isInvalid);
    assert.throws(() => channelOf().subscribe({ filter: 1 } as object), isInvalid);
    assert.throws(() => Framework.http({ maxEventStreams: -1 }), isInvalid);
  });

  test("checks what a source gives by its schema", async () => {
    const reports: Report[] = [];
    const counted = Axon.start("counted").thenFn("count", async function* () {
      yield { data: { n: 1, secret: "x" } };
      yield { data: { n: "x" } };
    });
    const ingress = Framework.http({ reporter: (report) => reports.push(report) }).sse("/events", counted, {
      schema: Type.Object({ n: Type.Integer() }),
    });
    await using app = new TestApp(ingress);
    const events = await app.sse("/events");

    assert.equal((await events.next())?.data, '{"n":1}');
    assert.deepEqual([await events.next(), events.end], [undefined, "cut"]);
    assert.match(String(reports[0]?.error), /EVENT_INVALID|against the schema at '\/n'/);
  });
});
