// Rooms, and what a WebSocket route takes and is drawn as.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  connectionOf,
  Framework,
  fault,
  guard,
  ProblemDetail,
  Rooms,
  Type,
  WebSocketConnection,
} from "framework";
import { TestApp } from "framework/http";
import { refused } from "../../support/refused-handshake.js";

describe("rooms", () => {
  test("reach every other subscriber, also from other routes and other runs", async () => {
    const Announced = busKey<string>()("Announced");
    const announce = Axon.start("announce").thenFn(
      "tell",
      (_, bus) => bus.get(Rooms).publish("all", { n: 1 }),
      {
        reads: [Rooms],
      },
    );
    const ingress = Framework.http()
      .provide(Announced, () => "x")
      .ws("/a", {
        open: (_, c) => void c.subscribe("all"),
        message: (m, c) => ({ heard: c.publish("all", m) }),
      })
      .ws("/b", {
        maxMessageBytes: 10,
        open: (_, c) => void c.subscribe("all"),
        message: (_, c) => ({ was: c.unsubscribe("all"), is: c.isSubscribed("all") }),
      })
      .post("/announce", announce);
    await using app = new TestApp(ingress);
    const [a, b] = [await app.ws("/a"), await app.ws("/b")];

    a.send("hello");
    assert.deepEqual(await a.nextJson(), { heard: true });
    assert.equal(await b.next(), "hello");
    assert.equal((await app.post("/announce")).text, "true");
    assert.deepEqual([await a.nextJson(), await b.nextJson()], [{ n: 1 }, { n: 1 }]);
    b.send("leave");
    assert.deepEqual(await b.nextJson(), { was: true, is: false });
    a.send(Uint8Array.of(1));
    assert.deepEqual(await a.nextJson(), { heard: false });
  });

  test("are as many for each connection as may be", async () => {
    const ingress = Framework.http().ws("/x", {
      maxTopics: 2,
      message: (topic, c) => (topic === "-a" ? c.unsubscribe("a") : c.subscribe(String(topic))),
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/x");
    const ask = async (topic: string) => {
      socket.send(topic);
      return socket.nextJson();
    };

    assert.deepEqual(
      [await ask("a"), await ask("a"), await ask("b"), await ask("c"), await ask("-a"), await ask("c")],
      [true, true, true, false, true, true],
    );
  });
});

describe("a WebSocket route", () => {
  test("takes no more connections than it may", async () => {
    const ingress = Framework.http().ws("/x", { maxConnections: 1, message: (m) => m });
    await using app = new TestApp(ingress);

    const first = await app.ws("/x");
    const second = await refused(app.ws("/x"));
    await first.close();
    const third = await app.ws("/x");

    assert.equal(second.problem.code, "OVERLOADED");
    assert.equal(second.headers["retry-after"], "1");
    third.send("well");
    assert.equal(await third.next(), "well");
  });

  test("ends the connection of a message that is larger than it may be", async () => {
    await using app = new TestApp(Framework.http().ws("/x", { maxMessageBytes: 4, message: (m) => m }));
    const socket = await app.ws("/x");

    socket.send("four");
    socket.send("five5");

    assert.equal(await socket.next(), "four");
    assert.equal((await socket.closed).code, 1006);
  });

  test("stands in a group, behind its guards", async () => {
    const closed = guard({
      name: "closed",
      run: () => fault(new ProblemDetail({ status: 403, code: "CLOSED", title: "Closed" })),
    });
    const ingress = Framework.http().group("/v1", { guards: [closed] }, (v1) =>
      v1.ws("/x", { message: (m) => m }),
    );
    await using app = new TestApp(ingress);

    assert.equal((await refused(app.ws("/v1/x"))).problem.code, "CLOSED");
  });

  for (const [name, flow, message] of [
    ["an unknown option", { message: () => 1, mesage: 1 }, /has no option 'mesage'/],
    ["nothing at all", undefined, /ws\('\/x'\) is given undefined: give it what happens/],
    ["null", null, /ws\('\/x'\) is given null/],
    ["a function alone", () => 1, /ws\('\/x'\) is given function/],
    ["no message", {}, /message of ws\('\/x'\) .*neither an Axon nor/],
    ["an idle time-out below 8", { message: () => 1, idleTimeoutSecs: 7 }, /idleTimeoutSecs/],
    ["an idle time-out above 960", { message: () => 1, idleTimeoutSecs: 961 }, /idleTimeoutSecs/],
    ["half a second of idle time", { message: () => 1, idleTimeoutSecs: 8.5 }, /idleTimeoutSecs/],
    ["no room for a message", { message: () => 1, maxMessageBytes: 0 }, /maxMessageBytes/],
    ["a word for deflate", { message: () => 1, deflate: "yes" }, /deflate of ws\('\/x'\) is yes/],
    ["null for close", { message: () => 1, close: null }, /close of ws\('\/x'\) is neither/],
    ["no concurrency", { message: () => 1, concurrency: 0 }, /concurrency/],
    ["a subprotocol that is no token", { message: () => 1, protocols: ["a b"] }, /protocols/],
    ["origins of anybody", { message: () => 1, allowedOrigins: ["https://*.com"] }, /lets anybody/],
    ["an origin that is none", { message: () => 1, allowedOrigins: ["app.example/"] }, /allowedOrigins/],
    [
      "an input schema of open",
      { message: () => 1, open: Axon.start("open", Type.Object({})).thenFn("x", () => 1) },
      /is given the session/,
    ],
  ] as const) {
    test(`with ${name} is refused where it is declared`, () => {
      assert.throws(() => Framework.http().ws("/x", flow as never), message);
    });
  }

  test("is listed among the routes, with what its messages run", () => {
    const move = Axon.start("move", Type.Object({ x: Type.Number() })).thenFn("go", ({ x }) => x);
    const ingress = Framework.http().ws("/x", { message: move, protocols: ["v1"], summary: "moves" });

    const [route] = ingress.routes();

    assert.deepEqual([route?.method, route?.path, route?.summary], ["GET", "/x", "moves"]);
    assert.equal(route?.webSocket?.message.name, "move");
    assert.deepEqual(route?.webSocket?.protocols, ["v1"]);
    assert.equal(route?.webSocket?.schema?.["type"], "object");
    assert.equal(route?.webSocket?.close, undefined);
  });

  test("conflicts with a GET of the same path", () => {
    const get = Axon.start("get").thenFn("x", () => 1);

    assert.throws(
      () =>
        Framework.http()
          .get("/x", get)
          .ws("/x", { message: () => 1 }),
      { code: "ROUTE_CONFLICT" },
    );
  });

  test("tells its steps of one connection under one key", async () => {
    const message = Axon.start<string | Uint8Array>("x").thenFn(
      "tell",
      (_, bus) => bus.get(WebSocketConnection) === (bus.get(connectionOf<number>()) as unknown),
      { reads: [WebSocketConnection, connectionOf<number>()] },
    );
    await using app = new TestApp(Framework.http().ws("/x", { message }));
    const socket = await app.ws("/x");

    socket.send("?");

    assert.equal(await socket.next(), "true");
  });
});
