// How connections begin and end, and what is known of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  connectionOf,
  Framework,
  fault,
  guard,
  header,
  IamIdentity,
  IamPolicy,
  layer,
  ProblemDetail,
  pass,
  type Report,
  Rooms,
  respond,
  Type,
  type WebSocketClose,
  WebSocketConnection,
  type WebSocketSession,
} from "framework";
import { HandshakeRefused, TestApp } from "framework/http";

const refused = async (opening: Promise<unknown>) => {
  const error = await opening.then(
    () => assert.fail("it was opened"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof HandshakeRefused, String(error));
  return error.response;
};

describe("open", () => {
  test("is given how the connection began, and answers its state", async () => {
    const sessions: WebSocketSession[] = [];
    const ingress = Framework.http().ws("/chat/:room", {
      protocols: ["chat.v1"],
      open: (session) => {
        sessions.push(session);
        return { seen: 0 };
      },
      message: (_, { state, session }) => {
        state.seen += 1;
        return { seen: state.seen, same: session === sessions[0] };
      },
    });
    await using app = new TestApp(ingress);

    const socket = await app.ws("/chat/one?as=ada", { protocols: ["x", "chat.v1"] });
    socket.send("a");
    socket.send("b");

    assert.deepEqual(await socket.nextJson(), { seen: 1, same: true });
    assert.deepEqual(await socket.nextJson(), { seen: 2, same: true });
    assert.equal(socket.protocol, "chat.v1");
    const [session] = sessions;
    assert.match(session?.connection_id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual(
      { ...session, connection_id: "" },
      { connection_id: "", path: "/chat/one", query: "as=ada", protocol: "chat.v1", identity: undefined },
    );
  });

  test("that faults, or answers a reply, is an answer over HTTP", async () => {
    const closed: unknown[] = [];
    const ingress = Framework.http()
      .ws("/full", {
        open: () => fault(new ProblemDetail({ status: 503, code: "FULL", title: "It is full" })),
        message: () => undefined,
        close: (end) => void closed.push(end),
      })
      .ws("/moved", {
        open: () => respond({ status: 307, headers: { location: "/new" } }),
        message: () => undefined,
      });
    await using app = new TestApp(ingress);

    const full = await refused(app.ws("/full"));
    const moved = await refused(app.ws("/moved"));

    assert.equal(full.problem.code, "FULL");
    assert.equal(moved.headers["location"], "/new");
    assert.deepEqual(closed, []);
  });

  test("is held to its output schema", async () => {
    const open = Axon.start<WebSocketSession>("open")
      .thenFn("state", ({ query }) => ({ n: query === undefined ? 1 : ("one" as never) }))
      .withOutputSchema(Type.Object({ n: Type.Number() }));
    const ingress = Framework.http({ reporter: () => {} }).ws("/n", {
      open,
      message: (_, { state }) => state.n,
    });
    await using app = new TestApp(ingress);

    const socket = await app.ws("/n");
    socket.send("?");

    assert.equal(await socket.next(), "1");
    assert.equal((await refused(app.ws("/n?bad"))).status, 500);
  });

  test("comes behind layers, guards and identity, in this order", async () => {
    const order: string[] = [];
    const noting = guard({
      name: "noting",
      run: (input) => {
        order.push("guard");
        return pass(input);
      },
    });
    const verifier = {
      verify: (token: string) => {
        order.push("identity");
        return { subject: token, roles: [], claims: {} };
      },
    };
    const open = Axon.start<WebSocketSession>("open")
      .withIam(IamPolicy.requireIdentity(), verifier)
      .thenFn("state", (session) => {
        order.push("open");
        return session.identity?.subject;
      });
    const whoAmI = Axon.start<string | Uint8Array>("who").thenFn(
      "tell",
      (_, bus) => `${bus.get(IamIdentity).subject} ${String(bus.get(connectionOf<string>()).state)}`,
      { reads: [IamIdentity, connectionOf<string>()] },
    );
    const ingress = Framework.http()
      .layer((_, next) => {
        order.push("layer");
        return next();
      })
      .ws("/me", { guards: [noting], open, message: whoAmI });
    await using app = new TestApp(ingress);

    assert.equal((await refused(app.ws("/me"))).status, 401);
    order.length = 0;
    const socket = await app.ws("/me", { headers: { authorization: "Bearer ada" } });
    socket.send("?");

    assert.equal(await socket.next(), "ada ada");
    assert.deepEqual(order, ["layer", "guard", "identity", "open"]);
  });

  test("has its leading guards run before the handshake is looked at", async () => {
    const teams = guard({
      name: "teams",
      mayRead: [header("x-team")],
      run: (input, bus) =>
        bus.has(header("x-team"))
          ? pass(input)
          : fault(new ProblemDetail({ status: 403, code: "NO_TEAM", title: "No team" })),
    });
    const open = Axon.start<WebSocketSession>("open")
      .then(teams)
      .thenFn("state", () => "ok");
    await using app = new TestApp(Framework.http().ws("/x", { open, message: (_, { state }) => state }));

    assert.equal((await app.get("/x")).problem.code, "NO_TEAM");
    assert.equal((await app.get("/x", { headers: { "x-team": "a" } })).status, 426);
    const socket = await app.ws("/x", { headers: { "x-team": "a" } });
    socket.send("?");
    assert.equal(await socket.next(), "ok");
  });

  test("may jump behind its guards, to a label before its first step", async () => {
    const open = Axon.start<WebSocketSession>("open")
      .label("again")
      .thenFn("state", (session) => session.path);
    await using app = new TestApp(Framework.http().ws("/x", { open, message: (_, { state }) => state }));

    const socket = await app.ws("/x");
    socket.send("?");

    assert.equal(await socket.next(), "/x");
  });

  test("can send, subscribe and publish, which is done when the client is answered", async () => {
    const ingress = Framework.http().ws("/room", {
      open: (session, connection) => {
        assert.equal(connection.isOpen, true);
        assert.equal(connection.subscribe("room"), true);
        assert.equal(connection.isSubscribed("room"), true);
        assert.equal(connection.send(`welcome ${session.query}`), "buffered");
        assert.ok(connection.bufferedAmount > 0);
        connection.publish("room", `joined ${session.query}`);
      },
      message: (message, connection) => {
        connection.publish("room", message);
      },
    });
    await using app = new TestApp(ingress);

    const [ada, bob] = [await app.ws("/room?ada"), await app.ws("/room?bob")];
    bob.send("hi");

    assert.deepEqual(
      [await ada.next(), await ada.next(), await ada.next()],
      ["welcome ada", "joined bob", "hi"],
    );
    assert.equal(await bob.next(), "welcome bob");
  });

  test("can end the connection as it begins", async () => {
    const ends: WebSocketClose[] = [];
    const ingress = Framework.http().ws("/no", {
      open: (_, connection) => {
        connection.send("bye");
        connection.close(4001, "not now");
        connection.close(4002, "too late");
      },
      message: () => undefined,
      close: (end) => void ends.push(end),
    });
    await using app = new TestApp(ingress);

    const socket = await app.ws("/no");

    assert.equal(await socket.next(), "bye");
    assert.deepEqual(await socket.closed, { code: 4001, reason: "not now" });
    assert.deepEqual(ends, [{ code: 4001, reason: "not now" }]);
  });

  test("keeps no more for the client than may wait for it", async () => {
    const sent: string[] = [];
    const ingress = Framework.http().ws("/much", {
      maxBackpressureBytes: 1024,
      open: (_, connection) => {
        for (let i = 0; i < 4; i += 1) sent.push(connection.send("x".repeat(600)));
      },
      message: () => undefined,
    });
    await using app = new TestApp(ingress);

    const socket = await app.ws("/much");

    assert.deepEqual(sent, ["buffered", "buffered", "closed", "closed"]);
    assert.equal((await socket.closed).code, 1006);
  });

  test("is not asked where the client goes before it has answered, and close is told of it once it has", async () => {
    const ends: WebSocketClose[] = [];
    let proceed: () => void = () => {};
    const proceeds = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    let entered: () => void = () => {};
    const around = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const ingress = Framework.http()
      .layer(async (_, next) => {
        const outcome = await next();
        entered();
        await proceeds;
        return outcome;
      })
      .ws("/slow", { open: () => "state", message: () => undefined, close: (end) => void ends.push(end) });
    await using app = new TestApp(ingress);
    const client = new AbortController();

    const opening = app.get("/slow", {
      signal: client.signal,
      headers: {
        upgrade: "websocket",
        connection: "upgrade",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    });
    await around;
    client.abort();
    await assert.rejects(opening);
    proceed();

    assert.deepEqual(ends, [{ code: 1006, reason: "" }]);
  });
});

describe("what open sends", () => {
  test("is copied: its bytes are the caller's again", async () => {
    const ingress = Framework.http().ws("/x", {
      open: (_, connection) => {
        const bytes = Uint8Array.of(1);
        connection.send(bytes);
        bytes[0] = 2;
      },
      message: () => undefined,
    });
    await using app = new TestApp(ingress);

    assert.deepEqual(await (await app.ws("/x")).next(), Uint8Array.of(1));
  });
});

describe("close", () => {
  test("runs once, with the code and reason of whoever ended the connection", async () => {
    const ends: unknown[] = [];
    const ingress = Framework.http().ws("/x", {
      open: () => "state",
      message: (message, connection) => {
        connection.close(4000, String(message));
        connection.close(4001);
        assert.equal(connection.isOpen, false);
        assert.equal(connection.send("late"), "closed");
        assert.equal(connection.publish("x", "late"), false);
        assert.equal(connection.subscribe("x"), false);
        assert.equal(connection.unsubscribe("x"), false);
        assert.equal(connection.isSubscribed("x"), false);
        assert.equal(connection.bufferedAmount, 0);
        ends.push("the message's run is over");
        return "never sent";
      },
      close: (end, { state, isOpen }) => void ends.push([end, state, isOpen]),
    });
    await using app = new TestApp(ingress);

    await (await app.ws("/x")).close(3001, "mine");
    const other = await app.ws("/x");
    other.send("yours");
    await other.closed;
    (await app.ws("/x")).vanish();

    assert.deepEqual(ends, [
      [{ code: 3001, reason: "mine" }, "state", false],
      "the message's run is over",
      [{ code: 4000, reason: "yours" }, "state", false],
      [{ code: 1006, reason: "" }, "state", false],
    ]);
  });

  test("runs behind the message that ended the connection, also where that had waited its turn", async () => {
    const log: string[] = [];
    let goOn: () => void = () => {};
    const first = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const ingress = Framework.http().ws("/x", {
      message: (message, connection) => {
        if (message === "first") return first;
        connection.close();
        log.push("the message's run is over");
        return undefined;
      },
      close: () => void log.push("closed"),
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/x");

    socket.send("first");
    socket.send("second");
    // Each arrives in a turn that was asked for before this one.
    await new Promise((resolve) => setImmediate(resolve));
    goOn();
    await socket.closed;

    assert.deepEqual(log, ["the message's run is over", "closed"]);
  });

  test("tells the very run that ended the connection", async () => {
    const log: string[] = [];
    const message = Axon.start<string | Uint8Array>("x").thenFn(
      "end and wait",
      (_, bus) => {
        const { signal } = bus;
        bus.get(WebSocketConnection).close();
        return new Promise<undefined>((resolve) => {
          signal.addEventListener("abort", () => {
            log.push("aborted");
            resolve(undefined);
          });
        });
      },
      { reads: [WebSocketConnection] },
    );
    const ingress = Framework.http().ws("/x", { message, close: () => void log.push("closed") });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/x");

    socket.send("");
    await socket.closed;

    assert.deepEqual(log, ["aborted", "closed"]);
  });

  test("runs where a layer answers something else than the connection that open let in", async () => {
    const ends: string[] = [];
    const teapot = new ProblemDetail({ status: 418, code: "TEAPOT", title: "Short and stout" });
    const answers = { "at once": fault(teapot), later: Promise.resolve(fault(teapot)), "as a value": teapot };
    for (const [name, answer] of Object.entries(answers)) {
      const odd = layer({
        name: "odd",
        run: (_, next) => {
          next();
          return answer;
        },
      });
      const ingress = Framework.http().ws("/x", {
        layers: [odd],
        open: () => name,
        message: () => undefined,
        close: ({ code }, { state }) => void ends.push(`${state} ${code}`),
      });
      await using app = new TestApp(ingress);
      assert.equal((await refused(app.ws("/x"))).status, 418);
    }

    assert.deepEqual(ends, ["at once 1006", "later 1006", "as a value 1006"]);
  });

  test("runs when the server stops, with 1001, and is waited for", async () => {
    const ends: unknown[] = [];
    const ingress = Framework.http().ws("/x", {
      message: () => undefined,
      close: async (end) => {
        await new Promise((resolve) => setImmediate(resolve));
        ends.push(end.code);
      },
    });
    const app = new TestApp(ingress);
    const sockets = [await app.ws("/x"), await app.ws("/x")];

    await app.close();

    assert.deepEqual(ends, [1001, 1001]);
    assert.deepEqual(await Promise.all(sockets.map(({ closed }) => closed)), [
      { code: 1001, reason: "The server stops" },
      { code: 1001, reason: "The server stops" },
    ]);
  });

  test("that faults or throws is reported", async () => {
    const reports: Report[] = [];
    const ingress = Framework.http({ reporter: (report) => void reports.push(report) }).ws("/x", {
      message: () => undefined,
      close: ({ reason }) => {
        if (reason === "throw") throw new Error("boom");
        return fault({ kind: "odd" });
      },
    });
    await using app = new TestApp(ingress);

    for (const reason of ["throw", "fault"]) await (await app.ws("/x")).close(1000, reason);

    assert.deepEqual(
      reports.map(({ code }) => code),
      ["CLOSE_FAILED", "CLOSE_FAILED"],
    );
    assert.match(reports[0]?.message ?? "", /boom/);
  });

  test("aborts the runs of messages, whose answers go nowhere", async () => {
    const fired: string[] = [];
    const message = Axon.start<string | Uint8Array>("x").thenFn("wait", (_, bus) => {
      bus.signal.addEventListener("abort", () => fired.push("aborted"));
      return new Promise<string>(() => {});
    });
    const ingress = Framework.http().ws("/x", {
      concurrency: 2,
      message,
      close: () => void fired.push("closed"),
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/x");

    for (const text of ["a", "b", "c"]) socket.send(text);
    await socket.close();

    assert.deepEqual(fired, ["aborted", "aborted", "closed"]);
  });

  test("refuses codes that nobody may send, and cuts reasons between characters", async () => {
    const ingress = Framework.http({ reporter: () => {} }).ws("/x", {
      message: (message, connection) => {
        const [code, reason] = JSON.parse(String(message)) as [number, string];
        try {
          connection.close(code, reason);
          return undefined;
        } catch (error) {
          return (error as { code: string }).code;
        }
      },
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/x");

    for (const code of [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 1000.5, -1]) {
      socket.send([code, ""]);
      assert.equal(await socket.next(), "CLOSE_CODE_INVALID", String(code));
    }
    for (const code of [1000, 1003, 1007, 1014, 3000, 4999]) {
      const other = await app.ws("/x");
      other.send([code, "🦀".repeat(40)]);
      assert.deepEqual(await other.closed, { code, reason: "🦀".repeat(30) });
    }
    // Half a surrogate pair is no UTF-8, and a peer would see 1006 for it.
    socket.send([4000, "a\ud800b"]);
    assert.deepEqual(await socket.closed, { code: 4000, reason: "a\ufffdb" });
  });
});

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
    ["no message", {}, /message of ws\('\/x'\) is neither an Axon nor a function/],
    ["an idle time-out below 8", { message: () => 1, idleTimeoutSecs: 7 }, /idleTimeoutSecs/],
    ["an idle time-out above 960", { message: () => 1, idleTimeoutSecs: 961 }, /idleTimeoutSecs/],
    ["half a second of idle time", { message: () => 1, idleTimeoutSecs: 8.5 }, /idleTimeoutSecs/],
    ["no room for a message", { message: () => 1, maxMessageBytes: 0 }, /maxMessageBytes/],
    ["a word for deflate", { message: () => 1, deflate: "yes" }, /deflate of ws\('\/x'\) is yes/],
    ["null for close", { message: () => 1, close: null }, /close of ws\('\/x'\) is neither/],
    ["no concurrency", { message: () => 1, concurrency: 0 }, /concurrency/],
    ["a subprotocol that is no token", { message: () => 1, protocols: ["a b"] }, /protocols/],
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
