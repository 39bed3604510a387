import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";

import { Axon, Framework, HttpClient, isFault, synapse, UpstreamError } from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit, ManualClock } from "framework/runtime";

import {
  type Asked,
  ask,
  asking,
  echo,
  failed,
  type Handler,
  remote,
  serveRemote,
  server,
} from "../../support/asked-service.js";

serveRemote();

describe("a service that fails", () => {
  test("is 502 where it refuses, answers no JSON or too much, or breaks off", async () => {
    const answers: readonly (readonly [string, Handler])[] = [
      ["UPSTREAM_REFUSED", (_, response) => response.writeHead(404).end("{}")],
      ["UPSTREAM_INVALID", (_, response) => response.end("<html>")],
      ["UPSTREAM_INVALID", (_, response) => response.end()],
      ["UPSTREAM_INVALID", (_, response) => response.end(JSON.stringify("x".repeat(2000)))],
      [
        "UPSTREAM_INVALID",
        (_, response) =>
          response.setHeader("content-encoding", "gzip").end(gzipSync(JSON.stringify("x".repeat(2000)))),
      ],
      ["UPSTREAM_FAILED", (_, response) => response.destroy()],
      [
        "UPSTREAM_FAILED",
        (_, response) => {
          response.setHeader("content-length", 100).write("{");
          setImmediate(() => response.destroy());
        },
      ],
    ];
    for (const [code, answer] of answers) {
      remote.handle = answer;
      const error = await failed({ client: { maxBodyBytes: 1000 } });

      assert.equal(error.code, code);
      assert.equal(error.toProblemDetail().status, 502);
    }
  });

  test("is 502 where its JSON is nested deeper than 64, before it is parsed", async () => {
    const nested = (depth: number) => `${"[".repeat(depth)}"${"x".repeat(5000)}"${"]".repeat(depth)}`;
    for (const [body, isDeep] of [
      [nested(65), true],
      ["[".repeat(1_000_000), true],
      ['{"a":'.repeat(100_000), true],
      [nested(64), false],
      [`"${"[".repeat(5000)}"`, false],
    ] as const) {
      remote.handle = (_, response) => response.end(body);
      if (!isDeep) {
        assert.deepEqual(await ask(), JSON.parse(body));
        continue;
      }
      const { code, message } = await failed();
      assert.equal(code, "UPSTREAM_INVALID");
      assert.match(message, /answered JSON that is nested deeper than 64$/);
    }
  });

  test("is 502 where it cannot be reached, and says so to the log alone", async () => {
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    listener.close();
    await once(listener, "close");
    const closed = new HttpClient(`http://127.0.0.1:${port}/api`, { headers: { "x-key": "secret" } });
    const axon = Axon.start("ask").then(
      synapse({
        name: "ask",
        mayRead: HttpClient.keys,
        call: (_: void, bus) => closed.json(bus, "items", { query: { token: "secret" } }),
        toFault: HttpClient.toFault,
      }),
    );
    const { outcome } = await new AxonTestKit().run(axon, undefined);
    const { problem } = await new TestApp(Framework.http().get("/", axon)).get("/");

    assert.ok(isFault(outcome));
    assert.match(
      (outcome.error as Error).message,
      /^GET http:\/\/127\.0\.0\.1:\d+\/api\/items: .*ECONNREFUSED/,
    );
    assert.ok(!(outcome.error as Error).message.includes("secret"));
    assert.deepEqual(
      [problem.status, problem.code, problem.detail, problem.title],
      [502, "UPSTREAM_FAILED", undefined, "A service could not be reached"],
    );
  });

  test("does not hide a mistake of the program", async () => {
    const outcome = await ask({ options: { headers: { "bad name": "x" } } });

    assert.ok(isFault(outcome) && !(outcome.error instanceof UpstreamError));
  });

  test("is 504 where it takes too long, before its head or in its body", async () => {
    const answers: readonly Handler[] = [
      () => {},
      (_, response) => {
        response.write("[");
      },
    ];
    for (const answer of answers) {
      const clock = new ManualClock();
      const arrived = new Promise<void>((resolve) => {
        remote.handle = (request, response) => {
          answer(request, response);
          resolve();
        };
      });
      const gone = new Promise<void>((resolve) =>
        server.once("request", (request) => request.socket.once("close", resolve)),
      );
      const failing = failed({ client: { clock, timeoutMs: 500 } });
      await arrived;
      await clock.advance(500);
      const error = await failing;

      assert.equal(error.code, "UPSTREAM_TIMEOUT");
      assert.equal(error.toProblemDetail().status, 504);
      assert.equal(clock.timers, 0);
      await gone;
    }
  });

  test("leaves no timer behind", async () => {
    const clock = new ManualClock();
    const settled = async (asked: Asked, answer: Handler) => {
      remote.handle = answer;
      await ask({ ...asked, client: { clock } });
      return clock.timers;
    };

    assert.equal(await settled({}, echo), 0);
    assert.equal(await settled({}, (_, response) => response.writeHead(204).end()), 0);
    assert.equal(await settled({}, (_, response) => response.writeHead(500).end("x")), 0);
    assert.equal(await settled({}, (_, response) => response.destroy()), 0);
  });

  test("has the time that the call gives it", async () => {
    const clock = new ManualClock();
    remote.handle = () => {};
    const failing = failed({ client: { clock }, options: { timeoutMs: 20 } });
    while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(20);

    assert.equal((await failing).code, "UPSTREAM_TIMEOUT");
  });
});

describe("a run that ends before its answer", () => {
  test("ends the call", async () => {
    const gone = new Promise<void>((resolve) => {
      remote.handle = (request) => {
        request.socket.once("close", resolve);
        controller.abort();
      };
    });
    const controller = new AbortController();
    const app = new TestApp(Framework.http().get("/", asking({})));

    await assert.rejects(app.get("/", { signal: controller.signal }));
    await gone;
  });

  test("does not begin one", async () => {
    let asked = 0;
    remote.handle = (_, response) => {
      asked += 1;
      response.end("1");
    };
    const service = new HttpClient(remote.base);
    const axon = Axon.start("ask").thenFn(
      "ask",
      async (_, bus) => {
        await new Promise((resolve) => bus.signal.addEventListener("abort", resolve));
        await assert.rejects(service.json(bus, "x"), (error) => !(error instanceof UpstreamError));
        done();
      },
      { mayRead: HttpClient.keys },
    );
    let done = (): void => {};
    const tried = new Promise<void>((resolve) => {
      done = resolve;
    });
    const controller = new AbortController();
    const running = axon.execute(undefined, undefined, controller.signal);
    controller.abort();
    await running;
    await tried;

    assert.equal(asked, 0);
  });
});
