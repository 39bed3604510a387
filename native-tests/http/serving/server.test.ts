import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import {
  Axon,
  busKey,
  Framework,
  FrameworkError,
  fault,
  MemoryDeadLetters,
  MemoryRuns,
  ProblemDetail,
} from "framework";
import { pause } from "../../support/patience.js";
import { assertSaid } from "../../support/said.js";
import { startIngress } from "../../support/server-process.js";

const hello = Axon.start("hello").thenFn("hello", () => "hello");
const ingress = () => Framework.http({ processGuards: false }).shutdownDelay(0).get("/", hello);
const folder = mkdtempSync(join(tmpdir(), "framework-"));
after(() => rmSync(folder, { recursive: true }));

/** GET / over a unix socket. */
const overSocket = (socketPath: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ socketPath, path: "/" }, (response) => {
      let body = "";
      response
        .on("data", (data) => {
          body += data;
        })
        .on("end", () => resolve(body));
    })
      .on("error", reject)
      .end();
  });

describe("a server that stops", () => {
  test("reports how many dead letters and unfinished runs in memory end with it, once", async () => {
    const reports: string[] = [];
    const letters = new MemoryDeadLetters();
    const runs = new MemoryRuns();
    const failing = Axon.start("failing")
      .thenFn("fail", () => fault(new ProblemDetail({ status: 503, code: "DOWN", title: "Down" })))
      .withDlqSink(letters);
    const waiting = Axon.start("waiting")
      .thenFn("wait", () => new Promise<string>(() => {}))
      .withPersistenceStore(runs);
    const serve = () =>
      Framework.http({
        processGuards: false,
        reporter: ({ code, message }) => void (code === "MEMORY_LOST" && reports.push(message)),
      })
        .shutdownDelay(0)
        .gracefulShutdown(1)
        .post("/failing", failing)
        .post("/also", failing)
        .post("/waiting", waiting)
        .bind("127.0.0.1:0")
        .run();
    const unused = await serve();
    await unused.close();
    assert.deepEqual(reports, []);

    const server = await serve();
    for (const path of ["failing", "failing", "also"])
      await fetch(`${server.url}/${path}`, { method: "POST" });
    const cut = fetch(`${server.url}/waiting`, { method: "POST" }).catch(() => {});
    while (runs.unfinished().length === 0) await pause(1);
    await server.close();
    await cut;
    assertSaid(reports, [/^3 dead letters and 1 unfinished run .*: openStores\(url\)$/]);
  });
});

describe("listening", () => {
  test("on port 0 takes a free one and tells which", async () => {
    const server = await ingress().bind("127.0.0.1:0").run();
    const [, port] = /^127\.0\.0\.1:(\d+)$/.exec(server.address) ?? [];

    assert.ok(Number(port) > 0);
    assert.equal(await (await fetch(`http://${server.address}/`)).text(), "hello");
    await server.close();
  });

  test("takes a host name and an IPv6 address", async () => {
    for (const address of ["localhost:0", "[::1]:0"]) {
      const server = await ingress().bind(address).run();

      assert.equal(await (await fetch(`http://${server.address}/`)).text(), "hello", address);
      await server.close();
    }
  });

  test("fails loudly where the port is in use, by whomever", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const own = await ingress().bind("127.0.0.1:0").run();

    const inUse = (error: unknown) =>
      error instanceof FrameworkError &&
      error.code === "LISTEN_FAILED" &&
      /EADDRINUSE; stop the process that has it/.test(error.message);
    await assert.rejects(ingress().bind(`127.0.0.1:${port}`).run(), inUse);
    await assert.rejects(ingress().bind(own.address).run(), inUse);
    other.close();
    await own.close();
  });

  test("fails loudly where there is no such address or host", async () => {
    await assert.rejects(ingress().bind("192.0.2.1:0").run(), {
      code: "LISTEN_FAILED",
      message: /192\.0\.2\.1:0: EADDRNOTAVAIL; no interface/,
    });
    await assert.rejects(ingress().bind("nowhere.invalid:0").run(), {
      code: "LISTEN_FAILED",
      message: /nowhere\.invalid:0: E/,
    });
  });

  test("on a path makes a socket for owner and group, and removes it", async () => {
    const path = join(folder, "app.sock");
    const server = await ingress().bind(`unix:${path}`).run();

    assert.equal(await overSocket(path), "hello");
    assert.equal(statSync(path).mode & 0o777, 0o660);
    await server.close();
    assert.ok(!existsSync(path));
  });

  test("on a path takes over an abandoned socket, and nothing else", async () => {
    const [abandoned, file, used] = ["abandoned", "file", "used"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(file, "precious");
    const stale = createServer().listen(abandoned);
    await new Promise((resolve) => stale.once("listening", resolve));
    const first = await startIngress("lifecycle-ingress.ts", { address: `unix:${abandoned}2` });
    await first.stop("SIGKILL");
    const server = await ingress().bind(`unix:${abandoned}2`).run();
    const other = createServer().listen(used);
    await new Promise((resolve) => other.once("listening", resolve));

    assert.equal(await overSocket(`${abandoned}2`), "hello");
    await assert.rejects(ingress().bind(`unix:${file}`).run(), {
      code: "LISTEN_FAILED",
      message: /ENOTSOCK/,
    });
    await assert.rejects(ingress().bind(`unix:${used}`).run(), {
      code: "LISTEN_FAILED",
      message: /EADDRINUSE/,
    });
    await assert.rejects(
      ingress()
        .bind(`unix:${join(folder, "missing", "x")}`)
        .run(),
      { code: "LISTEN_FAILED" },
    );
    assert.equal(statSync(file).size, 8);
    stale.close();
    other.close();
    await server.close();
  });

  test("on a path leaves a socket be that has taken its place", async () => {
    const path = join(folder, "replaced");
    const server = await ingress().bind(`unix:${path}`).run();
    renameSync(path, `${path}-old`);
    const other = createServer().listen(path);
    await once(other, "listening");
    await server.close();

    assert.ok(existsSync(path));
    other.close();
  });

  test("on a path leaves a server be that is too busy to take another connection", async () => {
    const path = join(folder, "busy");
    const listens = `require("node:net").createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => {
      console.log("up");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    })`;
    const busy = spawn(process.execPath, ["-e", listens], { stdio: ["ignore", "pipe", "inherit"] });
    await once(busy.stdout, "data");
    const waiting = Array.from({ length: 4 }, () => connect(path).on("error", () => {}));
    await pause(50);

    const outcome = await ingress()
      .bind(`unix:${path}`)
      .run()
      .catch((error: FrameworkError) => error);
    for (const client of waiting) client.destroy();
    busy.kill("SIGKILL");
    if (!(outcome instanceof FrameworkError)) await outcome.close();

    assert.ok(outcome instanceof FrameworkError && outcome.code === "LISTEN_FAILED");
    assert.ok(existsSync(path));
  });

  test("does not begin where a route cannot run", async () => {
    const Key = busKey<string>()("Key");
    const needy = Axon.start("needy").thenFn("read", (_, bus) => bus.get(Key), { reads: [Key] });

    await assert.rejects((ingress() as any).bind("127.0.0.1:0").get("/needy", needy).run(), {
      code: "KEYS_UNPROVIDED",
    });
    await assert.rejects((Framework.http({ resources: [Key] }) as any).run({ key: 1, Other: 2 }), {
      code: "RESOURCE_MISSING",
      message: /'Key' \(.*'key', 'Other'; did you mean key\?\): pass \{ name: value \}/,
    });
  });
});
