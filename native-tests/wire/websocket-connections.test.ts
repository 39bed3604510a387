// Connections of WebSocket on the native server: what it counts, ends and keeps.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  Axon,
  Framework,
  type HttpIngress,
  type Report,
  type RunningServer,
  type WebSocketClose,
  type WebSocketConnection,
} from "framework";

import { handshake, RawWebSocket } from "../support/handshake.js";
import { dial, talk } from "../support/wire.js";

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;

/** A list that can be waited for. */
class Awaited<T> {
  readonly #items: T[] = [];
  #wake: () => void = () => {};

  readonly push = (item: T): void => {
    this.#items.push(item);
    this.#wake();
  };

  async next(): Promise<T> {
    while (this.#items.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#items.shift() as T;
  }
}

const serve = (ingress: HttpIngress<never, never>): Promise<RunningServer> =>
  ingress.bind("127.0.0.1:0").run();

const make = (options: Parameters<typeof Framework.http>[0] = {}) =>
  Framework.http({ processGuards: false, ...options }) as unknown as HttpIngress<never, never>;

async function connected(server: RunningServer, target = "/ws"): Promise<RawWebSocket> {
  const socket = new RawWebSocket(server.address, handshake(target));
  assert.match(await socket.answered(), /^HTTP\/1\.1 101 /);
  return socket;
}

describe("a connection of WebSocket", () => {
  const ends = new Awaited<WebSocketClose>();
  const reports = new Awaited<Report>();
  const kept = new Awaited<WebSocketConnection>();
  /** A busy machine is no concern of these tests. */
  const report = (told: Report): void => {
    if (told.code !== "LOOP_BLOCKED") reports.push(told);
  };
  /** What ends the messages that wait. */
  const held: (() => void)[] = [];
  let server: RunningServer;

  before(async () => {
    server = await serve(
      make({ reporter: report, traceRejections: true })
        .ws("/ws", {
          open: ({ query }, connection) => {
            if (query === "kept") kept.push(connection);
          },
          message: (message, connection) => {
            if (message === "throw") throw new Error("boom");
            if (message === "surrogate") return "a\ud800b";
            if (message === "later") return new Promise((resolve) => setImmediate(resolve, "later"));
            if (message === "flood") for (let i = 0; i < 400; i += 1) connection.send(new Uint8Array(65_536));
            return message;
          },
          close: ends.push,
        })
        .ws("/waits", {
          maxWaiting: 3,
          message: () => new Promise<void>((resolve) => held.push(resolve)),
          close: (end) => {
            for (const resolve of held.splice(0)) resolve();
            ends.push(end);
          },
        })
        .ws("/opens-later", {
          open: async (_, connection) => {
            kept.push(connection);
            await new Promise((resolve) => setTimeout(resolve, 50));
          },
          message: (message) => message,
          close: ends.push,
        }),
    );
  });
  after(() => server.close());

  test("answers text, bytes, nothing at all, and later", async () => {
    const socket = await connected(server);

    socket.send(TEXT, "grüße 🦀");
    socket.send(BINARY, Uint8Array.of(0, 255));
    socket.send(TEXT, "");
    socket.send(TEXT, "later");
    socket.send(TEXT, "behind");
    socket.send(TEXT, "surrogate");

    assert.deepEqual(await socket.frame(), { opcode: TEXT, payload: Buffer.from("grüße 🦀") });
    assert.deepEqual(await socket.frame(), { opcode: BINARY, payload: Buffer.from([0, 255]) });
    assert.deepEqual(await socket.frame(), { opcode: TEXT, payload: Buffer.alloc(0) });
    assert.equal(await socket.text(), "later");
    assert.equal(await socket.text(), "behind");
    assert.deepEqual((await socket.frame()).payload, Buffer.from("a\ufffdb"));
    socket.end();
    assert.equal((await ends.next()).code, 1006);
  });

  test("is told how the peer has ended it, and answers that", async () => {
    const socket = await connected(server);

    socket.send(CLOSE, Buffer.concat([Buffer.from([0x0f, 0xa1]), Buffer.from("enough")]));

    assert.deepEqual(await ends.next(), { code: 4001, reason: "enough" });
    assert.deepEqual(await socket.closed(), [4001, "enough"]);
    await socket.over();
    const other = await connected(server);
    other.send(CLOSE, "");
    assert.deepEqual(await ends.next(), { code: 1005, reason: "" });
    other.end();
    socket.end();
  });

  test("answers nothing after its end, whoever holds it", async () => {
    const socket = await connected(server, "/ws?kept");
    const connection = await kept.next();

    socket.end();
    await ends.next();

    assert.equal(connection.isOpen, false);
    assert.equal(connection.send("late"), "closed");
    assert.equal(connection.publish("x", "late"), false);
    assert.equal(connection.subscribe("x"), false);
    assert.equal(connection.bufferedAmount, 0);
    connection.close();
  });

  test("ends with 1011 where a step throws", async () => {
    const socket = await connected(server);

    socket.send(TEXT, "throw");

    assert.deepEqual(await socket.closed(), [1011, "Internal server error"]);
    assert.equal((await reports.next()).code, "TRANSITION_PANIC");
    assert.equal((await ends.next()).code, 1011);
    socket.end();
  });

  test("ends with 1008 where more messages wait than may", async () => {
    const socket = await connected(server, "/waits");

    for (const text of ["runs", "1", "2", "3", "4"]) socket.send(TEXT, text);

    assert.deepEqual(await socket.closed(), [1008, "Too many messages wait"]);
    assert.equal((await ends.next()).code, 1008);
    socket.end();
  });

  test("is ended where its peer takes nothing, and the others go on", async () => {
    const slow = await connected(server);
    const other = await connected(server);
    slow.socket.pause();

    slow.send(TEXT, "flood");
    const end = await ends.next();
    other.send(TEXT, "well");

    assert.equal(end.code, 1006);
    assert.equal(await other.text(), "well");
    slow.end();
    other.end();
    await ends.next();
  });

  test("is closed where its peer leaves before it is answered", async () => {
    const socket = dial(server.address);
    socket.write(handshake("/opens-later"));
    const connection = await kept.next();

    socket.destroy();

    while (connection.isOpen) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(connection.send("late"), "closed");
  });
});

describe("a server with connections of WebSocket", () => {
  test("counts those that have ended no more", async () => {
    const server = await serve(make({ maxConnections: 2 }).ws("/ws", { message: (message) => message }));

    for (let i = 0; i < 5; i += 1) {
      const socket = await connected(server);
      socket.send(CLOSE, "");
      await socket.over();
      socket.end();
    }
    const [first, second] = [await connected(server), await connected(server)];
    const third = new RawWebSocket(server.address, handshake("/ws"));

    await third.over();
    assert.equal(third.head, "");
    for (const socket of [first, second, third]) socket.end();
    await server.close();
  });

  test("ends them with 1001 when it stops, opens no more, and waits for what runs at their end", async () => {
    const order: string[] = [];
    let proceed: () => void = () => {};
    const proceeds = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const server = await serve(
      make()
        .ws("/ws", {
          message: (message) => message,
          close: async ({ code }) => {
            order.push(`closing ${code}`);
            await proceeds;
            order.push("closed");
          },
        })
        .get(
          "/hello",
          Axon.start("hello").thenFn("greet", () => "hello"),
        ),
    );
    const socket = await connected(server);
    // A connection that is kept, and asks while the server stops.
    const other = dial(server.address);
    let answers = "";
    other.on("data", (piece) => {
      answers += piece.toString("latin1");
    });
    other.write("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    while (!answers.includes("hello")) await new Promise((resolve) => other.once("data", resolve));

    const closing = server.close();
    assert.deepEqual(await socket.closed(), [1001, "The server stops"]);
    other.write(handshake("/ws"));
    while (!answers.includes("OVERLOADED")) await new Promise((resolve) => other.once("data", resolve));
    order.push("refused");
    proceed();
    await closing;

    assert.match(answers, /HTTP\/1\.1 503 /);
    assert.deepEqual(order, ["closing 1001", "refused", "closed"]);
    assert.equal(await server.closed, true);
    other.destroy();
    socket.end();
  });

  test("answers what has come before it ends them, and takes no more", async () => {
    const log: string[] = [];
    const held: (() => void)[] = [];
    const server = await serve(
      make().ws("/ws", {
        message: async (message) => {
          log.push(String(message));
          await new Promise<void>((resolve) => held.push(resolve));
          return message;
        },
      }),
    );
    const socket = await connected(server);
    for (const text of ["first", "second"]) socket.send(TEXT, text);
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));

    const closing = server.close();
    // The listener is closed in the turn in which connections are ended.
    const refuses = () =>
      new Promise((resolve) => {
        const other = dial(server.address);
        other
          .on("error", () => resolve(true))
          .on("connect", () => other.destroy())
          .on("close", () => resolve(false));
      });
    while (!(await refuses())) await new Promise((resolve) => setImmediate(resolve));
    socket.send(TEXT, "late");
    held.shift()?.();
    assert.equal(await socket.text(), "first");
    held.shift()?.();

    assert.equal(await socket.text(), "second");
    assert.deepEqual(await socket.closed(), [1001, "The server stops"]);
    await closing;
    assert.deepEqual(log, ["first", "second"]);
    socket.end();
  });

  test("answers plain requests of its paths with 426, on a connection that goes on", async () => {
    const server = await serve(make().ws("/ws", { message: (message) => message }));
    const request = "GET /ws HTTP/1.1\r\nHost: x\r\n\r\n";

    const { replies } = await talk(server.address, request + request, { until: 2 });

    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers["upgrade"], headers["connection"]]),
      [
        [426, "websocket", "Upgrade"],
        [426, "websocket", "Upgrade"],
      ],
    );
    await server.close();
  });
});
