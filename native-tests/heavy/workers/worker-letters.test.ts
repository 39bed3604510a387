// Dead letters and kept runs that several workers have in memory, as the Inspector of the first one shows them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { DeadLetters } from "#inspector/dead-letters/dead-letters.js";
import { Peers } from "#inspector/peers/peers.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { asOperator, asViewer, inspected } from "../../support/inspected.js";
import { InspectedWorkers, type OneWorker } from "../../support/inspected-workers.js";
import { until } from "../../support/patience.js";

const SENT = { name: "tea", secret: "hunter2-and-more" };

let service: InspectedWorkers;
let workers: readonly [OneWorker, OneWorker, OneWorker];

before(async () => {
  service = await InspectedWorkers.start({ WORKERS: "3" });
  workers = (await service.workers(3)) as [OneWorker, OneWorker, OneWorker];
});
after(() => service.stop());

const letters = async (query = ""): Promise<readonly any[]> =>
  (await service.data(`/api/v1/dlq${query}`)).letters;

describe("what several workers keep in memory", () => {
  test("are dead letters of all, done again by the worker that has one", async () => {
    for (const [at, worker] of workers.entries())
      assert.equal((await worker.post("/pay", { ...SENT, name: `tea ${at}` })).status, 502);
    const all = await letters();
    const idOf = (at: number): string => all.find(({ input }) => input.value.name === `tea ${at}`).id;

    assert.equal(all.length, 3);
    for (const { input } of all) assert.equal(input.value.secret, "[redacted]");
    assert.deepEqual(await letters("?limit=2"), all.slice(0, 2));
    assert.equal((await service.data("/api/v1/dlq?limit=1")).total, 3);
    assert.equal((await service.data("/api/v1/dlq?limit=1&circuit=none")).total, 0);
    const [own, second, third] = [idOf(0), idOf(1), idOf(2)];
    const redrive = async (id: string) => (await service.ask("POST", `/api/v1/dlq/${id}/redrive`)).json;
    assert.equal((await redrive(second)).data.result, "failed");
    await workers[1].get("/bank");
    const { run_id, ...redriven } = (await redrive(second)).data;
    assert.deepEqual(redriven, {
      ...{ id: second, circuit: "pay", node: "pay/charge" },
      result: "done",
      outcome: { name: "tea 1", pid: workers[1].pid },
      trace_id: null,
    });
    const { run } = await service.data(`/api/v1/traces/${run_id}`);
    assert.deepEqual(run.goes_on, { kind: "redrive", id: second }, "it was traced in its worker");
    assert.equal((await redrive(second)).code, "DEAD_LETTER_UNKNOWN");
    assert.equal((await service.ask("DELETE", `/api/v1/dlq/${third}`)).status, 204);
    assert.equal((await service.ask("DELETE", `/api/v1/dlq/${third}`)).status, 404);
    assert.deepEqual(
      (await letters()).map(({ id }) => id),
      [own],
    );
  });

  test("are runs of all, which go on in the worker that has them", async () => {
    const answers = workers.map((worker) => worker.post("/ship", SENT));
    let runs: any[] = [];
    await until("all are kept", async () => {
      ({ runs } = await service.data("/api/v1/runs"));
      return runs.length === 3;
    });
    for (const { run_id } of runs) {
      const { input, label } = await service.data(`/api/v1/runs/${run_id}`);
      assert.deepEqual([label, input.value], ["pack", { name: "tea", secret: "[redacted]" }]);
      const path = `/api/v1/runs/${run_id}/resume`;
      assert.equal((await service.ask("POST", path)).json.code, "KEPT_RUN_ACTIVE");
      const { result } = (await service.ask("POST", path, { force: true })).json.data;
      assert.equal(result, "completed");
    }

    const { traces } = await service.data("/api/v1/traces");
    const resumed = traces.filter(({ goes_on }: any) => goes_on?.kind === "resume");
    assert.deepEqual(
      new Set(resumed.map(({ goes_on }: any) => goes_on.id)),
      new Set(runs.map(({ run_id }) => run_id)),
    );
    // A run's id begins with that of its process.
    const processes = new Set(resumed.map(({ run_id }: any) => run_id.slice(0, 10)));
    assert.equal(processes.size, workers.length, "each went on in its own worker");
    assert.equal((await service.ask("GET", "/api/v1/runs/none")).json.code, "KEPT_RUN_UNKNOWN");
    for (const worker of await service.workers(3)) await worker.get("/go");
    await Promise.all(answers);
  });

  test("is not asked for where they share a store", async () => {
    const rooms = new MemoryRooms();
    const asked: string[] = [];
    rooms.join().subscribe({ message: (topic) => asked.push(topic), failed: () => {} });
    const shared = {
      send: () => {},
      list: () => [],
      get: () => undefined,
      remove: () => false,
      count: () => 0,
    };
    const deadLetters = new DeadLetters({ stores: [shared], axons: [] });
    const { app } = inspected({ deadLetters, peers: new Peers({ bus: rooms.join(), expected: 2 }) });
    const { data } = (await app.get("/api/v1/dlq", asViewer)).json as { data: unknown };

    assert.deepEqual(data, { letters: [], total: 0, workers_silent: 0 });
    assert.equal(
      (await app.post("/api/v1/dlq/none/redrive", asOperator)).problem.code,
      "DEAD_LETTER_UNKNOWN",
    );
    assert.deepEqual(asked, []);
  });
});
