import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";
import { BearerAuth } from "framework/inspector";

import { runCommand } from "../../support/run-command.js";

const TOKEN = "a-token-of-an-operator-of-this-test";
const status = (...args: readonly string[]) => runCommand(["status", ...args]);

async function withToken<T>(token: string | undefined, run: () => Promise<T>): Promise<T> {
  const variable = "FRAMEWORK_INSPECTOR_BEARER_TOKEN";
  if (token !== undefined) process.env[variable] = token;
  try {
    return await run();
  } finally {
    delete process.env[variable];
  }
}

describe("framework status", () => {
  test("has the versions of the package and the digest of the native server", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    const { status: code, stdout } = await status("--json");
    const facts = JSON.parse(stdout);

    assert.deepEqual([code, facts.framework, facts.crates.length], [0, version, 10]);
    assert.match(facts.native_server.sha256, /^[0-9a-f]{64}$/);
    assert.match((await status()).stdout, /^framework-compliance +0\.30\.0 released$/m);
  });

  test("has what a running server says, with its token alone", async () => {
    const links: string[] = [];
    const ingress = Framework.http()
      .get(
        "/",
        Axon.start("home").thenFn("greet", () => "hello"),
      )
      .inspector({
        ...{ enabled: true, port: 0, auth: BearerAuth.tokens({ operator: TOKEN }) },
        announce: (link) => links.push(link),
      });
    const server = await ingress.bind("127.0.0.1:0").run();
    try {
      const { origin } = new URL(links[0] as string);
      const found = await withToken(TOKEN, () => status(origin));
      assert.deepEqual([found.status, found.stderr], [0, ""]);
      assert.match(found.stdout, /^profile +none$/m);
      assert.match(found.stdout, /^websocket +off$/m);
      assert.match(found.stdout, /^traces +available /m);
      const { capabilities } = JSON.parse((await withToken(TOKEN, () => status(origin, "--json"))).stdout);
      assert.ok(
        capabilities.every(({ status }: { status: string }) => ["available", "off"].includes(status)),
      );

      const refused = await status(origin);
      assert.equal(refused.status, 2);
      assert.match(refused.stderr, /asks for a token: set FRAMEWORK_INSPECTOR_BEARER_TOKEN or /);
    } finally {
      await server.close();
    }
  });

  test("prints no password of a URL, and asks no server that is given one", async () => {
    for (const args of [
      ["http://ada:hunter2@127.0.0.1:1"],
      ["http://ada:hun/ter2@127.0.0.1:1"],
      ["ftp://ada:hunter2@127.0.0.1"],
      ["ada:hunter2@127.0.0.1:1"],
      ["http://127.0.0.1:1/?token=hunter2"],
      ["http://127.0.0.1:1", "http://ada:hunter2@127.0.0.1:1"],
    ]) {
      const { status: code, stdout, stderr } = await status(...args);

      assert.equal(code, 2);
      assert.doesNotMatch(stdout + stderr, /hun/, args.join(" "));
    }
    assert.match((await status("http://ada:x@127.0.0.1:1")).stderr, /has a user or a password/);
  });

  test("is 2 where no Inspector responds, and says what to give", async () => {
    const other = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const found = await status(`http://127.0.0.1:${port}`);
    other.close();

    assert.equal(found.status, 2);
    assert.match(found.stderr, /responded with 200 .*: give the address of the Inspector/);
    assert.match((await status(`http://127.0.0.1:${port}`)).stderr, /no Inspector responds at http/);
    assert.match((await status("localhost:3001")).stderr, /'localhost:3001' is no URL/);
  });
});
