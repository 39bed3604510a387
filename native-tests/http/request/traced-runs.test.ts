import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";

import { Axon, Framework, type Recorder, TraceContext, Type } from "framework";
import type { TracedRequest } from "framework/core";
import { TestApp } from "framework/http";

/** A recorder that traces everything, and keeps what became of each run. */
function recording() {
  const log: string[] = [];
  const requests: (TracedRequest | undefined)[] = [];
  const waiting: (() => void)[] = [];
  const recorder: Recorder = {
    mounted: (circuit) => circuit.watch({ kind: "all" }),
    ended: ({ circuit, request }) => {
      requests.push(request);
      log.push(`ended ${circuit.name}`);
    },
    answered: (run, { status, bytes, duration_us }) => {
      const { circuit, timeline } = run;
      assert.equal(timeline.axon, circuit.name, "as long as it is told of");
      assert.ok(Number.isSafeInteger(duration_us) && duration_us >= 0);
      log.push(`answered ${circuit.name} ${status} ${bytes}`);
      for (const tell of waiting.splice(0)) tell();
    },
  };
  /** Resolves with the log when the next run is answered. */
  const answered = (): Promise<string[]> => new Promise((resolve) => waiting.push(() => resolve(log)));
  return { log, requests, recorder, answered };
}

const hello = Axon.start("hello").thenFn("say", () => "hello");

describe("a traced run on an ingress", () => {
  test("says which request it answers, and how that was answered, behind its end", async () => {
    const { log, requests, recorder } = recording();
    const traced = Axon.start("trace").thenFn("say", (_, bus) => bus.get(TraceContext).traceId, {
      reads: [TraceContext],
    });
    const ingress = Framework.http({ recorder })
      .requestIdLayer()
      .get("/hello/:name", hello)
      .get("/trace", traced);
    await using app = new TestApp(ingress);
    await app.get("/hello/a%20b?c=d", { headers: { "x-request-id": "mine" } });
    await app.head("/hello/x");
    const { text, headers } = await app.get("/trace");

    assert.deepEqual(log, [
      "ended hello",
      "answered hello 200 5",
      "ended hello",
      "answered hello 200 0",
      "ended trace",
      "answered trace 200 32",
    ]);
    assert.deepEqual(requests[0], {
      method: "GET",
      path: "/hello/a%20b",
      route: "/hello/:name",
      requestId: "mine",
      traceId: undefined,
    });
    assert.deepEqual([requests[1]?.method, requests[1]?.path], ["HEAD", "/hello/x"]);
    assert.deepEqual([requests[2]?.requestId, requests[2]?.traceId], [headers["x-request-id"], text]);
  });

  test("has no route where none serves it", async () => {
    const { log, requests, recorder } = recording();
    await using app = new TestApp(Framework.http({ recorder }).fallback(hello));
    await app.get("/nowhere");

    assert.deepEqual(log, ["ended hello", "answered hello 404 5"]);
    assert.deepEqual([requests[0]?.path, requests[0]?.route], ["/nowhere", undefined]);
  });

  test("is answered once by what refuses, faults or fails in its place", async () => {
    const { log, recorder } = recording();
    const ingress = Framework.http({ recorder, reporter: () => {} })
      .post(
        "/checked",
        Axon.start("checked", Type.Object({ n: Type.Number() })).thenFn("n", ({ n }) => n),
      )
      .get(
        "/throws",
        Axon.start("throws").thenFn("throw", (): string => {
          throw new Error("boom");
        }),
      );
    await using app = new TestApp(ingress);
    const statuses = [
      (await app.post("/checked", { json: { n: "x" } })).status,
      (await app.get("/throws")).status,
    ];

    assert.deepEqual(statuses, [422, 500]);
    assert.deepEqual(
      log.filter((line) => line.startsWith("answered")).map((line) => line.replace(/ \d+$/, "")),
      ["answered checked 422", "answered throws 500"],
    );
  });

  test("that its time-out answers is answered behind its end, not before it", async () => {
    const { log, recorder } = recording();
    const slow = Axon.start("slow").thenFn("hang", () => new Promise<string>(() => {}));
    await using app = new TestApp(Framework.http({ recorder }).get("/slow", slow, { timeoutMs: 20 }));
    const { status } = await app.get("/slow");

    assert.equal(status, 504);
    assert.deepEqual(
      log.map((line) => line.replace(/ \d+$/, "")),
      ["ended slow", "answered slow 504"],
    );
  });

  test("whose client goes away is answered with status 0", async () => {
    const { recorder, answered } = recording();
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const slow = Axon.start("slow").thenFn("hang", () => {
      begin();
      return new Promise<string>(() => {});
    });
    await using app = new TestApp(Framework.http({ recorder }).get("/slow", slow));
    const leaving = new AbortController();
    const told = answered();
    const request = app.get("/slow", { signal: leaving.signal }).catch(() => {});
    await begun;
    leaving.abort();
    await request;

    assert.deepEqual(await told, ["ended slow", "answered slow 0 0"]);
  });

  test("that answers in pieces is answered when the last is taken, with the bytes of all", async () => {
    const { log, recorder } = recording();
    const pieces = Axon.start("pieces").thenFn("say", async function* () {
      yield "1";
      await new Promise((resolve) => setImmediate(resolve));
      yield "22";
    });
    await using app = new TestApp(Framework.http({ recorder }).get("/pieces", pieces));
    const { text } = await app.get("/pieces");

    assert.equal(text, "122");
    assert.deepEqual(log, ["ended pieces", "answered pieces 200 3"]);
  });

  test("is told the same of a socket", async () => {
    const { requests, recorder, answered } = recording();
    const server = await Framework.http({ recorder, processGuards: false })
      .get("/hello/:name", hello)
      .bind("127.0.0.1:0")
      .run();
    try {
      const told = answered();
      const socket = connect(Number(server.address.split(":")[1]), "127.0.0.1");
      socket.end("GET /hello/you HTTP/1.1\r\nhost: a\r\n\r\n");
      await once(socket.resume(), "close");

      assert.deepEqual(await told, ["ended hello", "answered hello 200 5"]);
      assert.deepEqual([requests[0]?.path, requests[0]?.route], ["/hello/you", "/hello/:name"]);
    } finally {
      await server.close();
    }
  });

  test("of a WebSocket's message belongs to the handshake, and is answered by nothing", async () => {
    const { log, requests, recorder } = recording();
    const ingress = Framework.http({ recorder }).ws("/chat/:room", {
      open: () => "state",
      message: (text) => text,
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/chat/a");
    socket.send("hello");
    await socket.next();
    await socket.close();

    const said = requests.find((request) => request?.path === "/chat/:room");
    assert.equal(said?.route, "/chat/:room");
    assert.match(said?.requestId ?? "", /./);
    assert.ok(log.some((line) => /^answered .* 101 0$/.test(line)));
  });
});
