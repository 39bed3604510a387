// Behind nginx as docs/limits.md sets it: who the client is, and which pages are the server's own.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";

import { Axon, ClientIp, Framework, type RunningServer } from "framework";
import { CorsGuard, CsrfGuard } from "framework/std";
import { findProgram, skipWithout } from "../../support/debian-program.js";
import { until } from "../../support/patience.js";
import { fromRoot } from "../../support/root.js";
import { emptyFolder } from "../../support/site.js";
import { TricklingUpload } from "../../support/trickling-upload.js";

const example = readFileSync(fromRoot("examples/limits/nginx.conf"), "utf8");

/** The example with addresses of the test's own, in the foreground, without files elsewhere. */
function configured(folder: string, proxy: string, server: string): string {
  const moved = example.replace("listen 127.0.0.1:8080", `listen ${proxy}`);
  const ours = moved.replace("server 127.0.0.1:3000", `server ${server}`);
  assert.equal(ours.split(proxy).length + ours.split(server).length, 4);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ");
  return `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log;
${ours.replace("http {", `http { access_log off; ${places}`)}`;
}

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}

describe("behind nginx", { skip: skipWithout("nginx") }, () => {
  const who = Axon.start("who").thenFn("tell", (_, bus) => bus.find(ClientIp) ?? "", { mayRead: [ClientIp] });
  let server: RunningServer;
  let proxy: ChildProcess | undefined;
  let address: string;

  before(async () => {
    const options = { processGuards: false, trustedProxies: ["127.0.0.1"], discardTimeoutMs: 9000 };
    server = await Framework.http(options)
      .bind("127.0.0.1:0")
      .bodyLimit(1000)
      .guard(new CorsGuard({ allowedOrigins: ["https://app.example"] }))
      .guard(new CsrfGuard({ trustedOrigins: ["https://app.example"] }))
      .post("/who", who)
      .post(
        "/later",
        Axon.start("later").thenFn("tell", async () => {
          for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
          return "later";
        }),
      )
      .run();
    await until("nginx has begun", async () => {
      // Somebody else may have taken the port meanwhile: then it ends, and has another one.
      if (proxy === undefined || proxy.exitCode !== null) await begin();
      return asked(address).then(
        ({ status }) => status === 200,
        () => false,
      );
    });
  });
  after(async () => {
    if (proxy?.exitCode === null) {
      const exited = once(proxy, "exit");
      proxy.kill();
      await exited;
    }
    await server?.close();
  });

  async function begin(): Promise<void> {
    address = await freeAddress();
    const folder = emptyFolder();
    const file = join(folder, "nginx.conf");
    writeFileSync(file, configured(folder, address, server.address));
    proxy = spawn(findProgram("nginx") as string, ["-p", folder, "-c", file], { stdio: "ignore" });
    await once(proxy, "spawn");
  }

  /** What a client on 127.0.0.2 is answered: who the server takes it for, or a refusal. */
  const asked = (host: string, headers: Readonly<Record<string, string>> = {}, body = "", path = "/who") =>
    new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
      const [hostname, port] = address.split(":");
      const options = {
        hostname,
        port,
        path,
        method: "POST",
        localAddress: "127.0.0.2",
        agent: false,
      };
      request({ ...options, headers: { ...headers, host } }, (response) => {
        response.on("error", reject);
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      })
        .on("error", reject)
        .end(body);
    });

  test("pages of the server's own pass, by whatever name and port the browser has for it", async () => {
    for (const host of [address, "parcels.example", "parcels.example:8443"])
      assert.equal((await asked(host, { origin: `http://${host}` })).status, 200, host);
    for (const origin of ["http://127.0.0.1", "http://127.0.0.1:1", "http://parcels.example", "null"])
      assert.equal((await asked(address, { origin })).status, 403, origin);
    assert.equal((await asked(address, { origin: "https://app.example" })).status, 200);
  });

  test("no client is whom it says that it is", async () => {
    const lies = { "x-forwarded-for": "192.0.2.1", forwarded: "for=192.0.2.1", "x-real-ip": "192.0.2.1" };
    assert.deepEqual(await asked(address, lies), { status: 200, body: "127.0.0.2" });
    const elsewhere = { "x-forwarded-proto": "https", "x-forwarded-host": "evil.example" };
    for (const origin of [`https://${address}`, "http://evil.example", "https://evil.example"])
      assert.equal((await asked(address, { origin, ...elsewhere })).status, 403, origin);
  });

  test("answers to bodies that are not read leave when their runs are over", async () => {
    const late = new TricklingUpload(server.address, "/later");
    for (let n = 0; n < 3; n += 1)
      for (const body of ["", "{}", "x".repeat(900)])
        assert.deepEqual(await asked(address, {}, body, "/later"), { status: 200, body: "later" });

    assert.ok(!late.isAnswered);
    late.end();
  });

  test("an upload that is refused before it is whole is answered as the server answers it", async () => {
    for (let n = 0; n < 8; n += 1) {
      const { status } = await asked(address, {}, "x".repeat(900_000), "/nowhere");
      assert.equal(status, 404);
    }
  });
});
