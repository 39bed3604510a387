// examples/limits behind HAProxy with the configuration that stands there.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { RunningServer } from "framework";

import { parcels, parcelsBehindBalancer } from "../../../examples/limits/parcels.js";
import { findProgram, skipWithout } from "../../support/debian-program.js";

const host = "parcels.example";

describe("the parcels behind HAProxy", { skip: skipWithout("haproxy") }, () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-"));
  const servers: RunningServer[] = [];
  let proxy: ChildProcess;
  let ports: readonly number[];

  before(async () => {
    servers.push(
      await parcels(async () => 7)
        .bind("127.0.0.1:0")
        .run(),
    );
    servers.push(await parcelsBehindBalancer().bind("127.0.0.1:0").run());
    ports = [await freePort(), await freePort()];
    const config = readFileSync("examples/limits/haproxy.cfg", "utf8")
      .replace(/^#.*\n/, "")
      .replace("127.0.0.1:3000", servers[0]?.address ?? "")
      .replace("127.0.0.1:3010", servers[1]?.address ?? "")
      .replace(":8080", `:${ports[0]}`)
      .replace(":8081", `:${ports[1]}`);
    writeFileSync(join(folder, "haproxy.cfg"), config);
    proxy = spawn(findProgram("haproxy") as string, ["-db", "-f", join(folder, "haproxy.cfg")], {
      stdio: "ignore",
    });
    await until(() => ask(0));
    await until(() => ask(1));
  });
  after(async () => {
    proxy?.kill();
    await Promise.all(servers.map((server) => server.close()));
    rmSync(folder, { recursive: true });
  });

  const lies = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Proto": "https",
    Forwarded: "for=203.0.113.9",
  };

  /** What a client on 127.0.0.2 is told that it is. */
  const ask = (port: number, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<unknown>((resolve, reject) => {
      const options = { port: ports[port], path: "/whoami", localAddress: "127.0.0.2", agent: false };
      request({ ...options, host: "127.0.0.1", headers: { ...headers, Host: host } }, (response) => {
        let body = "";
        response.on("data", (data) => {
          body += data;
        });
        response.on("end", () =>
          response.statusCode === 200 ? resolve(JSON.parse(body)) : reject(new Error(body)),
        );
      })
        .on("error", reject)
        .end();
    });

  test("know the client, and none that it says it is", async () => {
    for (const port of [0, 1]) {
      assert.deepEqual(await ask(port), { ip: "127.0.0.2", scheme: "http" });
      assert.deepEqual(await ask(port, lies), { ip: "127.0.0.2", scheme: "http" });
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function until(attempt: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 100; i += 1) {
    if (
      await attempt()
        .then(() => true)
        .catch(() => false)
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("HAProxy did not begin");
}
