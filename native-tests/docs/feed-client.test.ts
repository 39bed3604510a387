// The client of the feed that docs/inspector.md shows, as a process of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";

import { Axon, BearerAuth, Framework } from "framework";
import { until } from "../support/patience.js";
import { programArguments } from "../support/run-program.js";

const TOKEN = "operator-token-0123456789";

test("the client of the feed prints runs that failed, and no others", async () => {
  const links: URL[] = [];
  const fail = Axon.start("fail").thenFn("fall", (): string => {
    throw new Error("It falls");
  });
  const server = await Framework.http()
    .get(
      "/hello",
      Axon.start("hello").thenFn("greet", () => "hello"),
    )
    .get("/fail", fail)
    .inspector({
      ...{ enabled: true, port: 0, auth: BearerAuth.tokens({ operator: TOKEN }) },
      announce: (link) => links.push(new URL(link)),
    })
    .bind("127.0.0.1:0")
    .run();
  const program = programArguments("examples/feed/main.ts", (links[0] as URL).origin, TOKEN);
  // Node.js 20 has a WebSocket with this flag alone.
  const client = spawn(process.execPath, ["--experimental-websocket", ...program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(client, "exit");
  try {
    const lines: string[] = [];
    createInterface(client.stdout).on("line", (line) => lines.push(line));
    await until("a line was printed", async () => {
      assert.equal(client.exitCode, null);
      assert.equal((await fetch(`${server.url}/hello`)).status, 200);
      assert.equal((await fetch(`${server.url}/fail`)).status, 500);
      return lines.length > 0;
    });

    assert.deepEqual([...new Set(lines)], ["fail: TRANSITION_PANIC"]);
  } finally {
    client.kill();
    await exit;
    await server.close();
  }
});
