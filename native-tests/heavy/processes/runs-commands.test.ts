// Commands on runs as programs, and a server that carries them out and is killed.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";

import { folderWith } from "../../support/config-folder.js";
import { until } from "../../support/patience.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";
import { type WaitingServer, waitingServer } from "../../support/waiting-driver.js";

const MANY = 60;

describe("commands on runs of a server in another process", () => {
  let folder = "";
  let server: WaitingServer;
  beforeEach(async () => {
    folder = folderWith({});
    server = await waitingServer({ STORE: url(), DONE: join(folder, "done"), LEASE_MS: "900" });
  });
  afterEach(() => server.end("SIGKILL"));

  const url = (): string => `sqlite:${join(folder, "app.db")}`;
  const framework = (...args: readonly string[]) =>
    new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...bareEnvironment(), FRAMEWORK_PERSISTENCE_URL: url() };
      const program = programArguments("src/cli/main.ts", ...args);
      const child = execFile(process.execPath, program, { env, cwd: folder }, (_, stdout, stderr) =>
        resolve({ status: child.exitCode ?? -1, stdout, stderr }),
      );
    });

  test("start, signal and wake a run, and follow each until it waits or ends", async () => {
    const started = await framework("runs", "start", "hears", "--input", "1", "--run-id", "one", "--wait");
    const heard = await framework("runs", "signal", "one", "go", "--payload", "1", "--wait");
    const asleep = await framework("runs", "start", "sleeps", "--input", "9999999999999", "--run-id", "two");
    await until("it sleeps", async () => (await server.call("result", "two")).kind === "sleeping");
    const woken = await framework("runs", "wake", "two", "--wait", "--json");
    const wrong = await framework("runs", "start", "hears", "--input", '"one"');
    const forgotten = await framework("runs", "forget", "one", "two", "--yes");

    assert.equal(started.status, 0, started.stdout + started.stderr);
    assert.match(started.stdout, /^one {2}begun waiting {2}request /m);
    assert.match(heard.stdout, /^one {2}woken completed {2}/m);
    assert.match(asleep.stdout, /^two {2}begun {2}request /m);
    assert.equal((JSON.parse(woken.stdout) as { state: string }).state, "completed");
    assert.equal(wrong.status, 1);
    assert.match(wrong.stdout, / refused INPUT_INVALID /);
    assert.match(forgotten.stdout, /^2 forgotten$/m);
    assert.equal((await server.call("result", "one")).kind, "unknown");
  });

  test("cancel many runs of a filter, each once", async () => {
    const ids = Array.from({ length: MANY }, (_, at) => `run-${at}`);
    await server.call("begin", "hears", 0, ids);
    const isWaiting = async (id: string) => (await server.call("result", id)).kind === "waiting";
    for (const id of ids) await until("it waits", () => isWaiting(id));

    const args = ["--axon", "hears", "--reason", "a test", "--yes", "--wait", "--json"] as const;
    const { status, stdout, stderr } = await framework("runs", "cancel", ...args);

    assert.equal(status, 0, stdout + stderr);
    const results = JSON.parse(stdout) as { id: string; state: string }[];
    assert.deepEqual(results.map(({ id }) => id).sort(), [...ids].sort());
    assert.ok(results.every(({ state }) => state === "cancelled"));
    assert.match(stderr, new RegExp(`^hears {2}waiting {2}${MANY}$`, "m"));
  });

  test("say that no host is alive once the server is killed", async () => {
    await server.call("begin", "hears", 0, ["one"]);
    await server.end("SIGKILL");

    const args = ["signal", "one", "go", "--payload", "1", "--timeout", "3"] as const;
    const { status, stdout } = await framework("runs", ...args);

    assert.equal(status, 1);
    assert.match(stdout, /^one {2}unanswered {2}no host answered within 3 s, and no host of this store is/m);
  });
});
