import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";
import { needsCodeGeneration } from "../../support/code-generation.js";
import { until } from "../../support/patience.js";
import { type ServerProcess, startIngress } from "../../support/server-process.js";
import { caughtUp, dial, get, post, statusOf, talk } from "../../support/wire.js";

const hello = Axon.start("hello").thenFn("hello", () => "hello");

/** Waits until a run of /slow has begun. */
const sleeping = (server: ServerProcess): Promise<void> =>
  until("it sleeps", () => server.stdout().includes("sleeping\n"));
/** Waits until nobody new is let in: it has heard the signal. */
const closedToNewcomers = ({ address }: ServerProcess): Promise<void> =>
  until("it takes nothing new", async () => (await talk(address, get("/"), { until: 1 })).end === "reset");
/** Waits until it has heard the signal, and serves for a while. */
const notReady = ({ address }: ServerProcess): Promise<void> =>
  until("it is not ready", async () => (await statusOf(address, get("/ready"), { until: 1 })) === 503);

/** A connection that is idle behind its first answer. */
async function idling({ address }: ServerProcess) {
  const socket = dial(address).on("error", () => {});
  let raw = "";
  socket.on("data", (data) => {
    raw += data.toString("latin1");
  });
  const ended = once(socket, "close");
  socket.on("end", () => socket.end());
  socket.write(get("/"));
  await until("it is answered", () => raw.endsWith("hello"));
  return { ask: (target: string) => socket.write(get(target)), ended, received: () => raw };
}

describe("stopping", () => {
  test("by close ends idle connections and resolves `closed`", async () => {
    const server = await Framework.http({ processGuards: false }).bind("127.0.0.1:0").get("/", hello).run();
    await fetch(`http://${server.address}/`);
    await Promise.all([server.close(), server.close()]);

    assert.equal(await server.closed, true);
    await assert.rejects(fetch(`http://${server.address}/`));
  });

  test("on SIGTERM answers what is in flight, takes nothing new, and exits 0", async () => {
    const server = await startIngress("lifecycle-ingress.ts");
    let isAnswered = false;
    const inFlight = talk(server.address, get("/slow?ms=5000"), { waitMs: 30_000 });
    void inFlight.then(() => {
      isAnswered = true;
    });
    await sleeping(server);
    const stopped = server.stop("SIGTERM");
    await closedToNewcomers(server);
    assert.ok(!isAnswered, "it was closed to newcomers first");

    const { replies, end } = await inFlight;
    assert.deepEqual(
      [replies[0]?.body, replies[0]?.headers["connection"], end],
      ["slept", "close", "closed"],
    );
    assert.equal(await stopped, 0);
  });

  test("on SIGINT exits 0 at once where nothing is in flight, idle connections or not", async () => {
    const server = await startIngress("lifecycle-ingress.ts");
    const idle = talk(server.address, get("/"), { waitMs: 30_000 });
    await caughtUp(server.address);
    const began = Date.now();

    assert.equal(await server.stop("SIGINT"), 0);
    assert.ok(Date.now() - began < 10_000);
    assert.notEqual((await idle).end, "open");
  });

  test("goes on serving for its delay, and closes the listener then", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { delayMs: 6000 });
    const began = performance.now();
    const stopped = server.stop("SIGTERM");
    await notReady(server);
    const within = await talk(server.address, get("/"), { until: 1, lingerMs: 100 });

    assert.deepEqual([within.replies[0]?.body, within.end], ["hello", "open"]);
    assert.equal(await stopped, 0);
    assert.ok(performance.now() - began >= 5990);
    assert.equal((await talk(server.address, get("/"))).end, "reset");
  });

  test("waits for idle connections, answers what they still bring, and ends them with it", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { idleMs: 60000, shutdownMs: 90000 });
    const idle = await idling(server);
    const began = performance.now();
    const stopped = server.stop("SIGTERM");
    await closedToNewcomers(server);
    idle.ask("/slow?ms=200");
    await idle.ended;

    assert.match(idle.received(), /hello[\s\S]*\r\nConnection: close\r\n[\s\S]*slept$/i);
    assert.equal(await stopped, 0);
    assert.ok(performance.now() - began < 50_000, "no connection is left");
  });

  test("does not wait for idle connections longer than it may", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { idleMs: 300 });
    const idle = talk(server.address, get("/"), { waitMs: 30_000 });
    await caughtUp(server.address);

    assert.equal(await server.stop("SIGTERM"), 0);
    assert.notEqual((await idle).end, "open");
  });

  test("waits for the answer to what an idle connection brings, longer than for the connection", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { idleMs: 6000 });
    const idle = await idling(server);
    const stopped = server.stop("SIGTERM");
    await closedToNewcomers(server);
    idle.ask("/slow?ms=6500");

    assert.equal(await stopped, 0);
    await idle.ended;
    assert.match(idle.received(), /slept$/);
  });

  test("waits for a run whose client has gone away", async () => {
    const server = await startIngress("lifecycle-ingress.ts");
    const client = dial(server.address);
    client.write(get("/slow?ms=1500"));
    await sleeping(server);
    client.destroy();

    assert.equal(await server.stop("SIGTERM"), 0);
    assert.match(server.stdout(), /\nawake\nshutdown\n/);
  });

  test("runs its hooks, disposes of resources, and exits 0", async () => {
    const server = await startIngress("lifecycle-ingress.ts");

    assert.equal(await server.stop("SIGTERM"), 0);
    assert.deepEqual(server.stdout().trim().split("\n"), [
      "started",
      `listening ${server.address}`,
      "shutdown",
      "disposed",
    ]);
  });

  test("in the middle of the start ends it after the hook that runs, and exits 0", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { startMs: 4000 });

    assert.equal(await server.stop("SIGTERM"), 0);
    assert.deepEqual(server.stdout().trim().split("\n"), ["listening nowhere", "shutdown", "disposed"]);
    // Where code must not be generated Node.js prints our warning of that.
    if (needsCodeGeneration === false) assert.equal(server.stderr(), "");
  });

  test("cuts what takes longer than it may, and exits 1", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { shutdownMs: 200 });
    const cut = talk(server.address, get("/slow?ms=20000"), { waitMs: 30_000 });
    await sleeping(server);

    assert.equal(await server.stop("SIGTERM"), 1);
    assert.deepEqual([(await cut).replies.length, (await cut).end === "open"], [0, false]);
    assert.match(server.log(), /"code":"RUN_CUT".*1 of 'slow' were cut/);
  });

  test("says so where it cuts a body that does not arrive", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { shutdownMs: 200 });
    const cut = talk(server.address, post("/echo", "he", "Content-Length: 5"), { waitMs: 30_000 });
    await caughtUp(server.address);

    assert.equal(await server.stop("SIGTERM"), 1);
    await cut;
    assert.match(server.log(), /"code":"RUN_CUT".*1 requests .*bodies had not arrived/);
  });

  test("waits for every server of the process", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { second: true });
    const inFlight = talk(server.address, get("/slow?ms=400"), { waitMs: 30_000 });
    await sleeping(server);

    assert.equal(await server.stop("SIGTERM"), 0);
    assert.equal((await inFlight).replies[0]?.body, "slept");
  });

  test("exits at once on a second signal", async () => {
    const server = await startIngress("lifecycle-ingress.ts");
    const slow = talk(server.address, get("/slow?ms=20000"), { waitMs: 30_000 });
    await sleeping(server);
    server.process.kill("SIGTERM");
    await closedToNewcomers(server);

    assert.equal(await server.stop("SIGTERM"), 1);
    await slow;
  });
});

describe("what nobody catches", () => {
  const logged = (server: ServerProcess, line: RegExp): Promise<void> =>
    until(`${line} is in the log`, () => line.test(server.log()));

  test("is reported and harmless where it is a rejection", async () => {
    const server = await startIngress("lifecycle-ingress.ts");
    await talk(server.address, get("/reject"));
    await logged(server, /"code":"PROCESS_REJECTION".*nobody awaits this/);

    assert.ok(server.alive());
    await talk(server.address, get("/reject"));
    await logged(server, /nobody awaits \(2 in this process\)/);
    assert.equal(await server.stop(), 0);
  });

  test("is reported with the id of its request where that is asked for", async () => {
    const server = await startIngress("lifecycle-ingress.ts", { traceRejections: true });
    await Promise.all([
      talk(server.address, get("/reject", "X-Request-Id: first")),
      talk(server.address, get("/reject", "X-Request-Id: second")),
      talk(server.address, [post("/reject", "", "Content-Length: 2", "X-Request-Id: third"), "a", "b"]),
    ]);

    for (const id of ["first", "second", "third"])
      await logged(server, new RegExp(`"PROCESS_REJECTION".*"request_id":"${id}"`));
    assert.equal(await server.stop(), 0);
  });

  test("is left to the program where it says so, and once the last server is closed", async () => {
    const events = ["SIGTERM", "SIGINT", "unhandledRejection", "uncaughtException"];
    const handlers = () => events.map((event) => process.listenerCount(event));
    const serve = (processGuards: boolean) =>
      Framework.http({ processGuards }).bind("127.0.0.1:0").get("/", hello).run();
    const before = handlers();
    const unguarded = await serve(false);
    assert.deepEqual(handlers(), before);

    const servers = [await serve(true), await serve(true)];
    const within = handlers();
    await servers[0]?.close();
    assert.deepEqual([within, handlers()], Array(2).fill(before.map((count) => count + 1)));
    await servers[1]?.close();
    await unguarded.close();
    assert.deepEqual(handlers(), before);
  });

  test("is reported and harmless where a listener throws when a client goes away", async () => {
    const server = await startIngress("lifecycle-ingress.ts");
    const client = dial(server.address);
    client.write(get("/listener"));
    await caughtUp(server.address);
    client.destroy();
    await logged(server, /STEP_PANIC.*listener of bus\.signal/);

    assert.ok(server.alive());
    assert.equal(await server.stop(), 0);
  });

  test("makes the exit code 1 where it is an exception while the server stops", async () => {
    const server = await startIngress("lifecycle-ingress.ts");
    const inFlight = talk(server.address, [get("/slow?ms=5000")], { waitMs: 30_000 });
    await sleeping(server);
    await talk(server.address, get("/crash-later"), { until: 1 });
    const stopped = server.stop("SIGTERM");

    assert.equal((await inFlight).replies[0]?.body, "slept");
    assert.equal(await stopped, 1);
  });

  test("is reported and stops the server with 1 where it is an exception", async () => {
    const server = await startIngress("lifecycle-ingress.ts");
    const exit = new Promise((resolve) => server.process.once("exit", resolve));
    await talk(server.address, get("/crash"));

    assert.equal(await exit, 1);
    assert.match(server.log(), /"code":"PROCESS_EXCEPTION".*nobody catches this/);
  });
});
