import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, fault, HttpClient, ProblemDetail, synapse } from "framework";

import { named, requireCovered, treeOf } from "../../support/span-tree.js";
import { serving, traced } from "../../support/traced-server.js";
import { WebSocketClient } from "../../support/websocket-client.js";

const silent = () => {};
const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const echo = Axon.start<unknown>("echo")
  .thenFn("read", (message) => message)
  .thenFn("write", async (message) => message);

const failing = Axon.start<unknown>("failing").thenFn("judge", (message) => {
  if (message === "throw") throw new Error("hunter22");
  return fault(new ProblemDetail({ status: Number(message), code: `CODE_${message}`, title: "no" }));
});

describe("the trace of a message of a WebSocket", () => {
  test("is one of its own, linked to the handshake, with the nodes of its run", async () => {
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http({ reporter: silent })
        .bind("127.0.0.1:0")
        .config(config)
        .ws("/chat/:room", { message: echo });
      await serving(ingress.run(), async (_, server) => {
        const client = await WebSocketClient.open(server.address, {
          path: "/chat/7",
          headers: { traceparent: parent },
        });
        for (const text of ["a", "bc"]) {
          client.text(text);
          assert.equal(await client.nextText(), text);
        }
        client.destroy();

        const all = await spans();
        const handshake = named(all, "GET /chat/:room");
        const messages = all.filter(({ kind }) => kind === "CONSUMER");
        assert.equal(messages.length, 2);
        for (const [i, message] of messages.entries()) {
          const { name, traceId, spanId, parentSpanId, links, status, attributes } = message;
          assert.deepEqual([name, parentSpanId, status], ["process /chat/:room", "", "UNSET"]);
          assert.deepEqual(links, [{ traceId: handshake.traceId, spanId: handshake.spanId }]);
          assert.notEqual(traceId, handshake.traceId);
          assert.deepEqual(attributes, {
            "messaging.system": "websocket",
            "messaging.operation.name": "process",
            "messaging.operation.type": "process",
            "messaging.destination.template": "/chat/:room",
            "messaging.message.body.size": 1 + i,
            "network.protocol.name": "websocket",
            "framework.circuit": "echo",
          });
          const own = all.filter((span) => span.traceId === traceId);
          requireCovered(own);
          assert.deepEqual(treeOf(own), { "process /chat/:room": { read: {}, write: {} } });
          assert.ok(own.every((span) => span === message || span.parentSpanId === spanId));
        }
      });
    });
  });

  test("is decided for each message, and has no link where the handshake leaves nothing", async () => {
    await traced("telemetry.sample_ratio = 0", async ({ config, spans }) => {
      const ingress = Framework.http().bind("127.0.0.1:0").config(config).ws("/chat", { message: echo });
      await serving(ingress.run(), async (_, server) => {
        const client = await WebSocketClient.open(server.address, {
          path: "/chat",
          headers: { traceparent: parent },
        });
        client.text("a");
        assert.equal(await client.nextText(), "a");
        client.destroy();

        assert.deepEqual(
          (await spans()).filter(({ kind }) => kind === "CONSUMER"),
          [],
        );
      });
    });
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http().bind("127.0.0.1:0").config(config).ws("/chat", { message: echo });
      await serving(ingress.run(), async (_, server) => {
        const client = await WebSocketClient.open(server.address, {
          path: "/chat",
          headers: { traceparent: parent.replace(/01$/, "00") },
        });
        client.text("a");
        assert.equal(await client.nextText(), "a");
        client.destroy();

        assert.deepEqual(named(await spans(), "process /chat").links, []);
      });
    });
  });

  test("is an error where the peer is told of one of the server's, and for no refusal", async () => {
    await traced("", async ({ config, spans }) => {
      const ingress = Framework.http({ reporter: silent })
        .bind("127.0.0.1:0")
        .config(config)
        .ws("/judge", { message: failing });
      await serving(ingress.run(), async (_, server) => {
        const client = await WebSocketClient.open(server.address, { path: "/judge" });
        for (const text of ["404", "503"]) {
          client.text(text);
          await client.nextText();
        }
        client.text("throw");
        await client.ended();

        const all = await spans();
        const told = all
          .filter(({ kind }) => kind === "CONSUMER")
          .map(({ status, attributes }) => [status, attributes["error.type"]]);
        assert.deepEqual(told, [
          ["UNSET", undefined],
          ["ERROR", "CODE_503"],
          ["ERROR", "TRANSITION_PANIC"],
        ]);
        assert.doesNotMatch(JSON.stringify(all.map(({ attributes }) => attributes)), /hunter22/);
      });
    });
  });

  test("has the calls that its steps make, and not the handshake's", async () => {
    const answer = Axon.start("answer").thenFn("answer", () => 1);
    await serving(Framework.http().bind("127.0.0.1:0").get("/", answer).run(), async (url) => {
      const client = new HttpClient(url);
      const ask = Axon.start<unknown>("ask").then(
        synapse({
          name: "ask",
          mayRead: HttpClient.keys,
          call: (_: unknown, bus) => client.json(bus, ""),
          toFault: HttpClient.toFault,
        }),
      );
      await traced("", async ({ config, spans }) => {
        const ingress = Framework.http().bind("127.0.0.1:0").config(config).ws("/ask", { message: ask });
        await serving(ingress.run(), async (_, server) => {
          const socket = await WebSocketClient.open(server.address, { path: "/ask" });
          socket.text("1");
          await socket.nextText();
          socket.destroy();

          const all = await spans();
          const call = all.find(({ kind }) => kind === "CLIENT");
          const step = named(all, "ask");
          assert.deepEqual([call?.traceId, call?.parentSpanId], [step.traceId, step.spanId]);
          assert.equal(step.traceId, named(all, "process /ask").traceId);
        });
      });
    });
  });

  test("ends where the framework itself fails when it answers, at once or after it has waited", async () => {
    // Nobody can say what this error is: reading it throws.
    const hostile = () =>
      fault({
        get code(): string {
          throw new Error("unreadable");
        },
      });
    const now = Axon.start<unknown>("now").thenFn("fail", hostile);
    const later = Axon.start<unknown>("later").thenFn("fail", async () => hostile());
    await traced("", async ({ config, spans }) => {
      const reports: string[] = [];
      const ingress = Framework.http({ reporter: ({ code }) => reports.push(code) })
        .bind("127.0.0.1:0")
        .config(config)
        .ws("/now", { message: now as never })
        .ws("/later", { message: later as never });
      await serving(ingress.run(), async (_, server) => {
        for (const path of ["/now", "/later"]) {
          const client = await WebSocketClient.open(server.address, { path });
          client.text("a");
          await client.ended();
        }
        const all = await spans();

        for (const path of ["/now", "/later"]) {
          const { status, attributes } = named(all, `process ${path}`);
          assert.deepEqual([status, attributes["error.type"]], ["ERROR", "500"]);
        }
        assert.deepEqual(reports, ["INGRESS_FAILED", "INGRESS_FAILED"]);
      });
    });
  });
});
