// Runs of several workers, as the Inspector of the first one shows them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { openStores } from "framework";
import { eraseSubject } from "framework/compliance";

import { InspectedWorkers, type OneWorker } from "../../support/inspected-workers.js";

const RUNS = 6;
const WORKERS = 3;

let service: InspectedWorkers;
let workers: readonly OneWorker[];

before(async () => {
  service = await InspectedWorkers.start({ WORKERS: String(WORKERS) });
  workers = await service.workers(WORKERS);
  for (let n = 0; n < RUNS; n += 1)
    for (const worker of workers) assert.match((await worker.get(`/run/r${n}`)).json, / \d+$/);
});
after(() => service.stop());

/** All pages of a query. */
async function pages(query: string, limit: number): Promise<readonly any[][]> {
  const found: any[][] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await service.data(`/api/v1/traces?circuit=run&${query}&limit=${limit}${at}`);
    found.push(page.traces);
    cursor = page.cursor;
  }
  return found;
}

const processOf = ({ run_id }: { run_id: string }): string => run_id.split("-")[0] as string;

describe("traces of several workers", () => {
  test("are one list, page by page, none twice and none missing, in both orders", async () => {
    for (const [order, of] of [
      ["newest", ({ started_at, duration_us }: any) => started_at * 1000 + duration_us],
      ["slowest", ({ duration_us }: any) => duration_us],
    ] as const) {
      const rows = (await pages(`order=${order}`, 4)).flat();

      assert.equal(new Set(rows.map(({ run_id }) => run_id)).size, RUNS * WORKERS);
      assert.equal(rows.length, RUNS * WORKERS);
      assert.equal(new Set(rows.map(processOf)).size, WORKERS);
      const keys = rows.map((row) => of(row));
      assert.deepEqual(
        keys,
        [...keys].sort((a, b) => b - a),
      );
    }
  });

  test("are stable while runs come: what comes between two pages is on neither", async () => {
    const first = await service.data("/api/v1/traces?circuit=run&limit=5");
    for (const worker of workers) await worker.get("/run/between");
    const second = await service.data(`/api/v1/traces?circuit=run&limit=500&cursor=${first.cursor}`);
    const ids = [...first.traces, ...second.traces].map(({ run_id }: any) => run_id);

    assert.equal(new Set(ids).size, ids.length);
    assert.equal(ids.length, RUNS * WORKERS);
  });

  test("are shown whole by their id, whichever worker has them, with payloads redacted there", async () => {
    const sent = { name: "tea", secret: "hunter2-and-more" };
    for (const worker of workers) assert.equal((await worker.post("/items", sent)).json.pid, worker.pid);
    const { traces } = await service.data("/api/v1/traces?circuit=items");

    assert.deepEqual(new Set(traces.map(processOf)).size, WORKERS);
    for (const { run_id } of traces) {
      const trace = await service.data(`/api/v1/traces/${run_id}`);
      assert.equal(trace.run.run_id, run_id);
      const { input } = trace.nodes.find(({ label }: any) => label === "take");
      assert.deepEqual(input.value, { name: "tea", secret: "[redacted]" });
    }
  });

  test("are compared also where two workers have them", async () => {
    const { traces } = await service.data("/api/v1/traces?circuit=items");
    const [a, b] = [traces[0], traces.find((row: any) => processOf(row) !== processOf(traces[0]))];
    const diff = await service.data(`/api/v1/traces/diff?a=${a.run_id}&b=${b.run_id}`);

    assert.deepEqual([diff.a.run_id, diff.b.run_id], [a.run_id, b.run_id]);
    // They answered their own process ids.
    assert.equal(diff.parted.what, "output");
  });

  test("that nobody has are unknown, and so is a cursor of another order", async () => {
    const unknown = await service.ask("GET", "/api/v1/traces/none-1");
    const { cursor } = await service.data("/api/v1/traces?limit=1");
    const wrong = await service.ask("GET", `/api/v1/traces?order=slowest&cursor=${cursor}`);

    assert.deepEqual([unknown.status, unknown.json.code], [404, "TRACE_UNKNOWN"]);
    assert.deepEqual([wrong.status, wrong.json.code], [422, "CURSOR_INVALID"]);
  });

  test("say how many workers did not answer, and show the others'", async () => {
    const stopped = workers.at(-1) as OneWorker;
    process.kill(stopped.pid, "SIGSTOP");
    const without = await service.dataNow("/api/v1/traces?circuit=run&limit=500");
    process.kill(stopped.pid, "SIGCONT");
    const all = await service.data("/api/v1/traces?circuit=run&limit=500");

    assert.ok(without.workers_silent >= 1);
    assert.ok(without.traces.length > 0);
    assert.ok(without.traces.length < all.traces.length);
  });
});

test("traces of each worker are gone after an erasure", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forgotten-"));
  const STORE = `sqlite:${folder}/app.db`;
  const erased = await InspectedWorkers.start({ WORKERS: "2", STORE });
  const stores = openStores(STORE);
  try {
    for (const worker of await erased.workers(2)) await worker.get("/run/ann");
    const runs = async () => (await erased.data("/api/v1/traces?circuit=run")).traces.length;
    assert.equal(await runs(), 2);

    const { state } = await eraseSubject({ subject: "ann", reason: "asked" }, { stores });

    assert.deepEqual([state, await runs()], ["done", 0]);
  } finally {
    await stores.close();
    await erased.stop();
    rmSync(folder, { recursive: true });
  }
});
