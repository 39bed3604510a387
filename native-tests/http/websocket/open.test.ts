// How connections begin, and what is known of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  connectionOf,
  Framework,
  fault,
  guard,
  header,
  IamIdentity,
  IamPolicy,
  ProblemDetail,
  pass,
  respond,
  Type,
  type WebSocketClose,
  type WebSocketSession,
} from "framework";
import { TestApp } from "framework/http";
import { refused } from "../../support/refused-handshake.js";

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

  // WC2: the owner is told once, also where the handshake was never answered.
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
