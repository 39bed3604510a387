// How connections end: `close` runs once, for whom `open` let in.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  type Fault,
  Framework,
  fault,
  layer,
  ProblemDetail,
  type Report,
  respond,
  WebSocketConnection,
  type WebSocketSession,
} from "framework";
import { TestApp } from "framework/http";
import { refused } from "../../support/refused-handshake.js";

const HANDSHAKE = {
  upgrade: "websocket",
  connection: "upgrade",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

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

  // WC2: what `open` has counted is counted back.
  test("runs where the client is gone, or its time is up, once open has come to its end", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const log: unknown[] = [];
    let proceed: () => void = () => {};
    const answers = [{ n: 1 }, undefined, Promise.resolve("later")];
    const open = Axon.start<WebSocketSession>("open")
      .thenFn("wait", (_, bus) => {
        bus.signal.addEventListener("abort", () => log.push("told"));
        return new Promise<void>((resolve) => {
          proceed = resolve;
        });
      })
      .thenFn("count", (_, bus) => {
        log.push(["open", bus.signal.aborted]);
        return answers.shift();
      });
    const ingress = Framework.http({ routeTimeoutMs: 1000 }).ws("/x", {
      open,
      message: () => undefined,
      close: (end, { state }) => void log.push([end.code, state]),
    });
    await using app = new TestApp(ingress);
    for (const how of ["gone", "gone", "timed out"]) {
      const client = new AbortController();
      const asked = app.get("/x", { headers: HANDSHAKE, signal: client.signal });
      await new Promise((resolve) => setImmediate(resolve));
      if (how === "gone") client.abort();
      else t.mock.timers.tick(1500);
      await asked.catch(() => {});
      proceed();
      await new Promise((resolve) => setImmediate(resolve));
    }

    assert.deepEqual(log, [
      ...["told", ["open", true], [1006, { n: 1 }]],
      ...["told", ["open", true], [1006, undefined]],
      ...["told", ["open", true], [1006, "later"]],
    ]);
  });

  test("does not run where open refuses a client that is gone", async () => {
    const log: unknown[] = [];
    const no = new ProblemDetail({ status: 403, code: "NO", title: "No" });
    for (const answer of [fault(no), no, respond({ status: 403 })] as unknown[]) {
      let proceed: () => void = () => {};
      const ingress = Framework.http().ws("/x", {
        open: () =>
          new Promise<Fault<unknown>>((resolve) => {
            proceed = () => resolve(answer as Fault<unknown>);
          }),
        message: () => undefined,
        close: (end) => void log.push(end),
      });
      await using app = new TestApp(ingress);
      const client = new AbortController();
      const asked = app.get("/x", { headers: HANDSHAKE, signal: client.signal });
      await new Promise((resolve) => setImmediate(resolve));
      client.abort();
      await assert.rejects(asked);
      proceed();
      await new Promise((resolve) => setImmediate(resolve));
    }

    assert.deepEqual(log, []);
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

  // WC1: after its end every call is that of a closed connection.
  test("aborts the runs of messages where the connection is lost", async () => {
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
    // Each arrives in a turn that was asked for before this one.
    await new Promise((resolve) => setImmediate(resolve));
    socket.vanish();

    assert.deepEqual(fired, ["aborted", "aborted", "closed"]);
  });

  test("waits for 256 messages and 5 s at most, and is told how many others there were", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const log: unknown[] = [];
    let proceed: () => void = () => {};
    const message = Axon.start<string | Uint8Array>("x").thenFn("log", (text, bus) => {
      log.push(String(text));
      bus.signal.addEventListener("abort", () => log.push("aborted"));
      return text === "hangs" ? new Promise<undefined>(() => {}) : gate;
    });
    let gate = new Promise<undefined>((resolve) => {
      proceed = () => resolve(undefined);
    });
    const ingress = Framework.http().ws("/x", {
      maxWaiting: 1000,
      message,
      close: (end) => void log.push(end),
    });
    const app = new TestApp(ingress);
    const [counted, timed] = [await app.ws("/x"), await app.ws("/x")];

    for (let n = 0; n < 300; n += 1) counted.send(String(n));
    await counted.close();
    proceed();
    while (log.length < 257) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(log.splice(0).slice(255), ["255", { code: 1000, reason: "", unfinished: 44 }]);

    gate = Promise.resolve(undefined);
    for (const text of ["a", "hangs", "c"]) timed.send(text);
    await timed.close(4000);
    while (log.length < 2) await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(5000);
    assert.deepEqual(log, ["a", "hangs"]);
    t.mock.timers.tick(500);
    assert.deepEqual(log, ["a", "hangs", "aborted", { code: 4000, reason: "", unfinished: 2 }]);
  });

  test("runs once a message that runs behind a close frame throws, or closes the connection", async () => {
    const log: unknown[] = [];
    const held: (() => void)[] = [];
    const ingress = Framework.http({ reporter: () => {} }).ws("/x", {
      message: async (text, connection) => {
        if (text === "a") await new Promise<void>((resolve) => held.push(resolve));
        log.push(text);
        if (text === "throw") throw new Error("boom");
        if (text === "close") connection.close();
      },
      close: (end) => void log.push(end),
    });
    await using app = new TestApp(ingress);

    for (const text of ["throw", "close"]) {
      const socket = await app.ws("/x");
      for (const one of ["a", text, "never"]) socket.send(one);
      await socket.close();
      held.shift()?.();
      while (log.length < 3) await new Promise((resolve) => setImmediate(resolve));

      assert.deepEqual(log.splice(0), ["a", text, { code: 1000, reason: "", unfinished: 1 }]);
    }
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
