// Offloaded steps where a client meets them, and where a reader of the program does.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { Axon, Framework, workerModule, workerTransition } from "framework";

import { loaded } from "../support/config-folder.js";
import { fromRoot, moduleRoot } from "../support/root.js";

const work = workerModule<typeof import("../support/pool-work.js")>(
  new URL("../support/pool-work.js", import.meta.url),
);
const spin = Axon.start("spin")
  .thenFn("ms", () => 100)
  .offload(workerTransition({ name: "burn", module: work, export: "spin", timeoutMs: 30_000 }))
  .thenFn("shown", (ms) => ({ ms }));
const begun = { tell: () => {} };
const never = Axon.start("never")
  .thenFn("begun", () => begun.tell())
  .offload(workerTransition({ name: "never", module: work, export: "never" }));
const crash = Axon.start("crash")
  .thenFn("code", () => 7)
  .offload(workerTransition({ name: "leave", module: work, export: "leave" }))
  .thenFn("shown", () => ({}));

async function served(config = loaded("")) {
  const reports: string[] = [];
  const server = await Framework.http({
    processGuards: false,
    reporter: ({ code, message }) => {
      if (code === "WORKER_CRASHED") reports.push(message);
    },
  })
    .config(config)
    .get("/spin", spin)
    .get("/never", never)
    .get("/crash", crash)
    .gracefulShutdown(200)
    .bind("127.0.0.1:0")
    .run();
  return { server, reports, get: (path: string) => fetch(`${server.url}${path}`) };
}

describe("a route with an offloaded step", () => {
  test("answers 503 with Retry-After where the pool is full, and the others as ever", async () => {
    const { server, get } = await served(loaded("pool.threads = 1\npool.queue = 1"));
    const answers = await Promise.all(Array.from({ length: 5 }, () => get("/spin")));

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 503, 503, 503]);
    const refused = answers.find(({ status }) => status === 503);
    assert.equal(refused?.headers.get("retry-after"), "1");
    assert.match((await refused?.text()) ?? "", /"code":"POOL_FULL"/);
    await server.close();
  });

  test("answers 500 where the worker crashed, and reports the step and why", async () => {
    const { server, reports, get } = await served();
    const answer = await get("/crash");

    assert.equal(answer.status, 500);
    assert.equal(((await answer.json()) as { code: string }).code, "WORKER_CRASHED");
    assert.deepEqual(reports, ["The worker of step 'leave' ended: worker exited with code: 7"]);
    await server.close();
  });

  test("lets its server stop while a worker never answers", async () => {
    const { server, get } = await served();
    const waiting = new Promise<void>((resolve) => {
      begun.tell = resolve;
    });
    const asked = get("/never").catch(() => undefined);
    await waiting;
    await server.close();

    assert.equal((await asked)?.status ?? 503, 503);
  });
});

describe("an offloaded step", () => {
  test("is drawn as offloaded, with its module, its function and its time limit", () => {
    const node = spin.schematic().nodes.find(({ label }) => label === "burn");

    assert.deepEqual([node?.kind, node?.timeout_ms], ["Atom", 30_000]);
    assert.deepEqual(node?.offload, { module: "pool-work.js", export: "spin" });
    assert.match(spin.explain(), /burn +in a worker: spin of pool-work\.js; within 30000 ms/);
  });

  test("loads TypeScript by the program's tsx, and JavaScript without it, of one text", () => {
    const folder = mkdtempSync(join(tmpdir(), "framework-pool-"));
    const program = (types: boolean) => `import { Axon, workerModule, workerTransition } from "framework";
const work = workerModule${types ? '<typeof import("./work.js")>' : ""}(new URL("./work.js", import.meta.url));
const axon = Axon.start("a").thenFn("in", () => 20).offload(workerTransition({ name: "d", module: work, export: "double" }));
console.log(await axon.execute());`;
    try {
      for (const kind of ["source", "built"]) mkdirSync(join(folder, kind));
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(fromRoot("node_modules/tsx"), join(folder, "node_modules/tsx"));
      symlinkSync(moduleRoot, join(folder, "node_modules/framework"));
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      // An enum has to be compiled: Node.js cannot only strip it.
      writeFileSync(
        join(folder, "source/work.ts"),
        "enum By { Two = 2 }\nexport const double = (n: number): number => n * By.Two;",
      );
      writeFileSync(join(folder, "source/main.ts"), program(true));
      writeFileSync(join(folder, "built/work.js"), "export const double = (n) => n * 2;");
      writeFileSync(join(folder, "built/main.js"), program(false));
      const run = (...options: string[]) =>
        execFileSync(process.execPath, ["--conditions=framework-source", ...options], {
          cwd: folder,
          encoding: "utf8",
        }).trim();

      assert.equal(run("--import", "tsx", "source/main.ts"), "40");
      assert.equal(run("--import", "tsx", "built/main.js"), "40");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
