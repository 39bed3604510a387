import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after, describe, test } from "node:test";

import { TestApp } from "framework/http";

import { programArguments } from "../../native-tests/support/run-program.js";
import { type Stock, service } from "./service.js";

const fake = (changes: Partial<Stock> = {}): Stock => ({
  left: async () => 3,
  ping: async () => {},
  [Symbol.asyncDispose]: async () => {},
  ...changes,
});

describe("the service", () => {
  test("is healthy with its stock, degraded without an article, not ready without a stock", async () => {
    const statuses = async (stock: Stock) => {
      const app = new TestApp(service, { Stock: stock });
      const [health, ready, live] = await Promise.all([
        app.get("/health"),
        app.get("/ready"),
        app.get("/live"),
      ]);
      await app.close();
      const { status } = health.json as { status: string };
      return [health.status, status, ready.status, live.status];
    };
    const away = () => Promise.reject(new Error("connection refused"));

    assert.deepEqual(await statuses(fake()), [200, "ok", 200, 200]);
    assert.deepEqual(await statuses(fake({ left: async () => 0 })), [200, "degraded", 200, 200]);
    assert.deepEqual(await statuses(fake({ ping: away })), [503, "error", 503, 200]);
  });
});

describe("the program", () => {
  let child: ChildProcess | undefined;
  after(() => child?.kill("SIGKILL"));

  test("serves from two processes, and disconnects both when it stops", async () => {
    child = spawn(process.execPath, programArguments("examples/deploy/main.ts"), {
      env: {
        ...process.env,
        FRAMEWORK_SERVER_HOST: "127.0.0.1",
        FRAMEWORK_SERVER_PORT: "0",
        FRAMEWORK_SERVER_WORKERS: "2",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    const address = await new Promise<string>((resolve) => {
      child?.stdout?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        const [, told] = /listening on (\S+)\n/.exec(said) ?? [];
        if (told !== undefined) resolve(told);
      });
    });
    const answers = await Promise.all(["/stock", "/ready"].map((path) => fetch(`http://${address}${path}`)));
    child.kill("SIGTERM");

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.equal(said.split("stock: disconnected").length - 1, 2);
  });
});
