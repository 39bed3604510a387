// Programs whose stdout nobody reads, or nobody reads any more.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after, describe, test } from "node:test";

import { programArguments } from "../../support/run-program.js";

const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill("SIGKILL");
});

const node = [process.execPath, ...programArguments("native-tests/support/logging-server.ts")];

/** Starts the server with stdout a socket, as Node.js gives it to children, or a pipe of a shell's. */
async function start(stdout: "socket" | "pipe", env: Record<string, string> = {}) {
  const [command = "", ...args] =
    stdout === "socket" ? node : ["bash", "-c", 'exec 3>&1; exec "$@" > >(exec cat >&3)', "sh", ...node];
  const child = spawn(command, args, {
    env: { ...process.env, FRAMEWORK_PROFILE: "prod", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const exited = once(child, "exit").finally(() => running.delete(child));
  const address = await new Promise<string>((resolve, reject) => {
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const [, told] = /listening (\S+)\n/.exec(stderr) ?? [];
      if (told !== undefined) resolve(told);
    });
    void exited.then(([code]) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  const ask = async (path: string) =>
    (await fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(30_000) })).text();
  return { child, exited, ask };
}

/** Reads stdout to its end, as lines of JSON. */
async function linesOf(child: ChildProcess): Promise<readonly Record<string, any>[]> {
  let text = "";
  for await (const chunk of child.stdout?.setEncoding("utf8") ?? []) text += chunk;
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

// Reports of a busy machine would be counted too.
const SILENT = { FRAMEWORK_LOGGING_MODULE_LEVELS: "framework=silent" };

for (const stdout of ["socket", "pipe"] as const) {
  describe(`a server whose stdout is a ${stdout} that nobody reads`, () => {
    test("goes on answering, drops lines once its buffer is full, and says how many", async () => {
      const { child, exited, ask } = await start(stdout, SILENT);

      // Four megabytes: more than the pipes between and the buffer hold.
      for (let i = 0; i < 8; i += 1) assert.equal(await ask("/log?lines=500"), "logged");
      const reading = linesOf(child);
      // What is read makes room; the next line after that is taken.
      let lines: readonly Record<string, any>[] = [];
      await new Promise((resolve) => setTimeout(resolve, 200));
      await ask("/log?lines=1");
      child.kill("SIGTERM");
      lines = await reading;

      assert.deepEqual((await exited).slice(0, 2), [0, null]);
      const dropped = lines
        .filter((line) => line["code"] === "LOG_DROPPED")
        .reduce((sum, line) => sum + line["dropped"], 0);
      const written = lines.filter((line) => line["msg"] === "a line").length;
      assert.ok(dropped > 500, `${dropped} of 4001 were dropped`);
      assert.equal(written + dropped, 4001);
    });

    test("goes on answering where each answer is logged, and counts what it drops", async () => {
      const { child, exited, ask } = await start(stdout, { ACCESS_LOG: "on", ...SILENT });

      for (let i = 0; i < 6; i += 1) assert.equal(await ask("/log?lines=500"), "logged");
      for (let i = 0; i < 200; i += 1) assert.equal(await ask("/log?lines=0"), "logged");
      const reading = linesOf(child);
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(await ask("/log?lines=1"), "logged");
      child.kill("SIGTERM");
      const lines = await reading;

      assert.deepEqual((await exited).slice(0, 2), [0, null]);
      const dropped = lines
        .filter((line) => line["code"] === "LOG_DROPPED")
        .reduce((sum, line) => sum + line["dropped"], 0);
      const written = lines.filter(({ msg }) => msg === "a line" || msg === "answered").length;
      assert.ok(dropped > 200, `${dropped} of 3208 were dropped`);
      assert.equal(written + dropped, 3208);
    });

    test("ends all the same when it is told to", async () => {
      const { child, exited, ask } = await start(stdout);
      for (let i = 0; i < 4; i += 1) await ask("/log?lines=500");
      child.kill("SIGTERM");

      assert.deepEqual((await exited).slice(0, 2), [0, null]);
    });
  });
}

describe("a server whose reader of stdout is gone", () => {
  test("goes on answering, whether steps log or print", async () => {
    const { child, exited, ask } = await start("socket");
    child.stdout?.destroy();

    assert.equal(await ask("/log?lines=3"), "logged");
    await ask("/console");
    await ask("/console");
    assert.equal(await ask("/log?lines=3"), "logged");
    child.kill("SIGTERM");
    assert.deepEqual((await exited).slice(0, 2), [0, null]);
  });
});

describe("the last line", () => {
  test("is written where an exception that nobody catches ends the process", async () => {
    for (const guards of ["true", "false"]) {
      const { child, exited, ask } = await start("socket", { FRAMEWORK_SERVER_PROCESS_GUARDS: guards });
      const reading = linesOf(child);
      await ask("/log?lines=2");
      await ask("/crash");

      assert.deepEqual((await exited).slice(0, 2), [1, null]);
      // A busy machine holds the loop, which is reported when the server stops.
      const last = (await reading).filter((line) => line["code"] !== "LOOP_BLOCKED").at(-1);
      if (guards === "true")
        assert.deepEqual(
          [last?.["level"], last?.["code"], last?.["err"].message],
          [60, "PROCESS_EXCEPTION", "nobody catches this"],
        );
      else assert.equal(last?.["i"], 1);
    }
  });

  test("is written where the process exits at once, though its reader is slow", async () => {
    const { child, exited, ask } = await start("socket");
    await ask("/log?lines=400");
    const exit = ask("/exit").catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    const lines = await linesOf(child);

    assert.equal((await exited)[0], 3);
    assert.equal(lines.filter((line) => line["msg"] === "a line").length, 400);
    await exit;
  });
});
