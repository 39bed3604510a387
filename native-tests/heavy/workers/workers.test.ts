import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { Framework } from "framework";
import { until } from "../../support/patience.js";
import { type ServerProcess, startServer } from "../../support/server-process.js";
import { get, talk } from "../../support/wire.js";

const FILE = "workers-server.ts";
const ONCE = "connection: close";

/** The process that answered, or how the connection ended. */
async function ask(address: string, target = "/pid"): Promise<number | string> {
  const { replies, end } = await talk(address, get(target, ONCE), { waitMs: 30_000 });
  return replies[0]?.status === 200 ? Number(replies[0].body) : end;
}

/** Who answers, of many connections. */
async function answering({ address }: ServerProcess, count = 40): Promise<ReadonlySet<number | string>> {
  return new Set(await Promise.all(Array.from({ length: count }, () => ask(address))));
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const told = (server: ServerProcess, what: string): readonly number[] =>
  [...server.stdout().matchAll(new RegExp(`^${what} (\\d+)$`, "gm"))].map(([, pid]) => Number(pid));
/** Waits until a worker says so of itself. */
const said = (server: ServerProcess, what: string): Promise<void> =>
  until(`a worker is ${what}`, () => told(server, what).length > 0);

describe("workers", () => {
  test("share a port, make their own resources, and stop with their supervisor, what is in flight answered", async () => {
    const server = await startServer(FILE);
    const pids = await answering(server);
    const inFlight = ask(server.address, "/slow?ms=400");
    await said(server, "sleeping");

    assert.equal(await server.stop("SIGTERM"), 0);
    assert.equal(pids.size, 2);
    assert.ok(pids.has(await inFlight));
    assert.ok(!pids.has(server.process.pid ?? 0), "the supervisor serves nothing");
    assert.match(
      server.log(),
      /"code":"STATE_PER_WORKER".*the 2 workers has its own state: 'count' keeps how many came\. Give the ingress stores that all see, /,
    );
    assert.match(server.stdout(), /^supervisor\nlistening 127\.0\.0\.1:[1-9]\d*$/m);
    for (const what of ["made", "started", "disposed"])
      assert.deepEqual(new Set(told(server, what)), pids, what);
    assert.deepEqual(
      [...pids].filter((pid) => isAlive(Number(pid))),
      [],
    );
  });

  test("have the values that the supervisor was given disposed of there too", async () => {
    const server = await startServer(FILE, { GIVEN: "values" });

    assert.equal(await server.stop("SIGINT"), 0);
    assert.equal(told(server, "disposed").length, 3);
    assert.deepEqual([...told(server, "disposed")].sort(), [...told(server, "made")].sort());
  });

  test("are started again when they are killed, while the others serve", async () => {
    const server = await startServer(FILE);
    const [killed, kept] = [...(await answering(server))] as [number, number];
    process.kill(killed, "SIGKILL");
    await until("the first is gone", () => !isAlive(killed));
    const meanwhile = await answering(server, 10);
    await until("there are two again", async () => (await answering(server)).size === 2);

    assert.ok(meanwhile.has(kept) && !meanwhile.has("reset"));
    assert.match(server.log(), /"code":"WORKER_ENDED".*ended by SIGKILL: it is started again"/);
    assert.equal(await server.stop(), 0);
  });

  test("that crash again and again leave the others alone, and serve once they can", async () => {
    const folder = mkdtempSync(join(tmpdir(), "framework-"));
    const crash = join(folder, "crash");
    const server = await startServer(FILE, { CRASH: crash, WORKERS: "3" });
    const pids = [...(await answering(server, 80))];
    const [asked, killed, kept] = pids as [number, number, number];
    writeFileSync(crash, "");
    process.kill(asked, "SIGTERM");
    await until("the first has ended politely", () => !isAlive(asked));
    process.kill(killed, "SIGKILL");
    await until("both have crashed often", () => told(server, "started").length > 9);
    const meanwhile = await answering(server, 20);
    rmSync(folder, { recursive: true });
    await until("there are three again", async () => (await answering(server, 80)).size === 3);

    // A worker serves for 100 ms before it crashes: what it held then is reset.
    assert.deepEqual(
      [...meanwhile].filter((one) => typeof one === "string" && one !== "reset"),
      [],
    );
    assert.ok(meanwhile.has(kept) && isAlive(kept));
    assert.match(server.log(), /"code":"WORKER_ENDED".*ended with code 0: it is started again"/);
    const count = (code: string) => server.log().split(`"code":"${code}"`).length - 1;
    assert.equal(count("WORKERS_CRASHING"), 1, server.log());
    assert.match(server.log(), /Workers ended 3 times within 5 minutes, the last one worker \d with code 7/);
    assert.equal(count("WORKER_ENDED"), 3, "the polite end and two crashes");
    assert.equal(await server.stop(), 0);
  });

  test("that end before they serve are started again where another serves", async () => {
    const folder = mkdtempSync(join(tmpdir(), "framework-"));
    const second = join(folder, "second");
    const server = await startServer(FILE, { FIRST_ONLY: second });
    assert.equal((await answering(server)).size, 1);
    writeFileSync(second, "");
    await until("there are two", async () => (await answering(server)).size === 2);

    assert.match(server.log(), /"code":"WORKER_ENDED".*Worker 2 .* ended with code 8: it is started again"/);
    assert.equal(await server.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  test("are stopped once where a terminal signals all of them", async () => {
    const server = await startServer(FILE);
    const pids = await answering(server);
    const inFlight = ask(server.address, "/slow?ms=600");
    await said(server, "sleeping");
    const stopped = server.stop("SIGINT");
    for (const pid of pids) process.kill(Number(pid), "SIGINT");

    assert.ok(pids.has(await inFlight));
    assert.equal(await stopped, 0);
  });

  test("that hang while they stop are killed, with 1", async () => {
    const server = await startServer(FILE, { SHUTDOWN_MS: "100" });
    const pids = await answering(server);
    void ask(server.address, "/block");
    await said(server, "blocking");

    assert.equal(await server.stop("SIGTERM"), 1);
    assert.match(server.log(), /"code":"WORKER_KILLED".*had not stopped after 3100 ms: it is killed/);
    assert.deepEqual(
      [...pids].filter((pid) => isAlive(Number(pid))),
      [],
    );
  });

  test("that cut a run end with 1, and so does their supervisor", async () => {
    const server = await startServer(FILE, { SHUTDOWN_MS: "200" });
    const cut = ask(server.address, "/slow?ms=20000");
    await said(server, "sleeping");

    assert.equal(await server.stop("SIGTERM"), 1);
    assert.match(server.log(), /"code":"RUN_CUT".*1 of 'slow' were cut/);
    assert.match(String(await cut), /closed|reset/);
  });

  test("stop when their supervisor has died", async () => {
    const server = await startServer(FILE);
    const pids = await answering(server);
    const inFlight = ask(server.address, "/slow?ms=400");
    await said(server, "sleeping");
    await server.stop("SIGKILL");

    assert.ok(pids.has(await inFlight), "what is in flight is answered");
    await until("no worker is left", () => [...pids].every((pid) => !isAlive(Number(pid))));
  });

  test("that are still loading when their supervisor dies end, too", async () => {
    const server = await startServer(FILE, { LOAD_MS: "10000" });
    await server.stop("SIGKILL");

    await until("no worker is left", () => told(server, "loading").every((pid) => !isAlive(pid)));
    assert.deepEqual(told(server, "started"), []);
  });

  test("that close their server themselves end, and are started again", async () => {
    const server = await startServer(FILE);
    const closed = Number(await ask(server.address, "/close"));
    await until("it has ended", () => !isAlive(closed));
    await until("there are two again", async () => (await answering(server)).size === 2);

    assert.equal(await server.stop(), 0);
  });

  test("that stop by themselves are replaced while they drain", async () => {
    const server = await startServer(FILE);
    const pids = await answering(server);
    const inFlight = ask(server.address, "/slow?ms=20000");
    await said(server, "sleeping");
    const [leaving] = told(server, "sleeping") as [number];
    process.kill(leaving, "SIGTERM");
    await until("two others serve", async () => {
      const now = await answering(server);
      return now.size === 2 && !now.has(leaving);
    });

    assert.ok(pids.has(leaving) && isAlive(leaving), "it waits for its run");
    process.kill(leaving, "SIGTERM");
    assert.match(String(await inFlight), /closed|reset/);
    await until("its end is told of", () => /"code":"WORKER_ENDED".*ended with code 1/.test(server.log()));
    assert.equal(told(server, "started").length, 3);
    assert.equal(await server.stop(), 0);
  });

  test("die with their supervisor at a second signal", async () => {
    const server = await startServer(FILE);
    const pids = await answering(server);
    const inFlight = ask(server.address, "/slow?ms=20000");
    await said(server, "sleeping");
    server.process.kill("SIGTERM");
    await until("nobody new is let in", async () => (await ask(server.address)) === "reset");

    assert.equal(await server.stop("SIGTERM"), 1);
    await until("no worker is left", () => [...pids].every((pid) => !isAlive(Number(pid))));
    assert.match(String(await inFlight), /closed|reset/);
  });

  test("that cannot start reject the supervisor's run with their reason, the first alone", async () => {
    await assert.rejects(startServer(FILE, { CRASH: "unprovided" }), (error: Error) => {
      assert.match(error.message, /ended with 1/);
      assert.match(error.message, /code: 'KEYS_UNPROVIDED'/);
      return true;
    });
    await assert.rejects(
      startServer(FILE, { CRASH: "start" }),
      /code: 'WORKER_FAILED'|Worker 1 ended with code 7 before any of them served/,
    );
  });

  test("are of one ingress alone", async () => {
    const server = await startServer(FILE, { CRASH: "second" });
    const [code] = await once(server.process, "exit");

    assert.equal(code, 3);
    assert.match(server.log(), /One ingress of a process can have workers/);
    assert.match(server.log(), /A worker runs one ingress that has workers/);
  });

  test("share no unix path, and are 1 to 256 or one for each core", async () => {
    await assert.rejects(Framework.http().bind("unix:/tmp/never").workers(2).run(), {
      code: "CONFIG_INVALID",
      message: /cannot share \/tmp\/never/,
    });
    const { argv } = process;
    process.argv = argv.slice(0, 1);
    const withoutFile = Framework.http().workers(2).run();
    process.argv = argv;
    await assert.rejects(withoutFile, { code: "CONFIG_INVALID", message: /run a file/ });
    for (const count of [0, 257, 1.5])
      assert.throws(() => Framework.http().workers(count), { code: "CONFIG_INVALID" });
    assert.equal(Framework.http().workers("auto").plan.workers, "auto");
  });

  test("find the address taken before any of them is started", async () => {
    const other = await startServer(FILE, { WORKERS: "1" });

    await assert.rejects(startServer(FILE, { ADDRESS: other.address }), /LISTEN_FAILED/);
    assert.match(other.stdout(), /^alone$/m);
    assert.equal(await other.stop(), 0);
  });
});
