// Breakpoints of several workers, and the runs that they hold, as the Inspector of the first one steers them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { InspectedWorkers, type OneWorker } from "../../support/inspected-workers.js";
import { until } from "../../support/patience.js";

const TAKE = "items/take";
const LONG_MS = 100_000;

let service: InspectedWorkers;
let workers: readonly [OneWorker, OneWorker, OneWorker];

before(async () => {
  service = await InspectedWorkers.start({ WORKERS: "3" });
  workers = (await service.workers(3)) as [OneWorker, OneWorker, OneWorker];
});
after(() => service.stop());

async function set(breakpoint: object): Promise<string> {
  const { status, json } = await service.ask("POST", "/api/v1/breakpoints", {
    node_id: TAKE,
    hold_ms: LONG_MS,
    ...breakpoint,
  });
  assert.equal(status, 201, JSON.stringify(json));
  await service.know();
  return json.data.id;
}

const remove = async (id: string): Promise<void> => {
  assert.equal((await service.ask("DELETE", `/api/v1/breakpoints/${id}`)).status, 204);
};

const one = (id: string): Promise<any> => service.data(`/api/v1/breakpoints/${id}`);
const paused = async (): Promise<readonly any[]> => (await service.data("/api/v1/paused")).paused;

async function pausedOnes(count: number): Promise<readonly any[]> {
  let held: readonly any[] = [];
  await until(`${count} runs are held`, async () => {
    held = await paused();
    return held.length === count;
  });
  return held;
}

const release = async (id: string, how: string, body?: unknown): Promise<any> => {
  const { status, json } = await service.ask("POST", `/api/v1/paused/${id}/${how}`, body);
  return { status, ...json };
};

describe("breakpoints of several workers", () => {
  test("hold runs in each, and what is asked of a run reaches whoever holds it", async () => {
    const id = await set({ max_hits: 3 });
    const answers = [];
    for (const [at, worker] of workers.entries()) {
      answers.push(worker.post("/items", { name: `tea ${at}`, secret: "hunter2-and-more" }));
      await pausedOnes(at + 1);
    }
    const held = await paused();
    const idOf = (at: number): string => held.find(({ input }) => input.value.name === `tea ${at}`).id;

    assert.equal(new Set(held.map(({ run_id }) => run_id.split("-")[0])).size, 3);
    assert.equal(new Set(held.map((each) => each.id)).size, 3);
    for (const { input, breakpoint_id } of held)
      assert.deepEqual([input.value.secret, breakpoint_id], ["[redacted]", id]);

    // An edit is judged where the run is, and its mask is written over nothing.
    assert.equal((await release(idOf(1), "resume", { input: { name: 1 } })).code, "EDIT_INVALID");
    const edit = { input: { name: "edited", secret: "[redacted]" } };
    assert.equal((await release(idOf(1), "resume", edit)).data.how, "resume");
    assert.deepEqual((await answers[1])?.json, { name: "edited", pid: workers[1].pid });
    assert.equal((await release(idOf(2), "abort")).status, 200);
    assert.equal((await answers[2])?.status, 503);
    assert.equal((await release(idOf(2), "abort")).code, "PAUSED_RUN_UNKNOWN");
    assert.equal((await release(idOf(0), "step")).status, 200);
    const [stepped] = await pausedOnes(1);
    assert.deepEqual([stepped.node_id, stepped.breakpoint_id], ["items/keep", null]);
    assert.equal((await release(stepped.id, "resume")).status, 200);
    assert.equal((await answers[0])?.json.pid, workers[0].pid);
    await remove(id);
  });

  test("count hits over all workers, and are switched off in all of them by the last", async () => {
    const id = await set({ max_hits: 2 });
    // None of them is the worker that counts.
    const first = workers[1].post("/items", { name: "one" });
    await until("the first is counted", async () => (await one(id)).hits === 1);
    const second = workers[2].post("/items", { name: "two" });
    await until("it is switched off", async () => !(await one(id)).enabled);

    await service.know();
    // Others than those on which an answer is waited for.
    const free = await service.workers(3);
    for (const worker of free) assert.equal((await worker.post("/items", { name: "on" })).status, 200);
    assert.equal((await one(id)).hits, 2);
    await service.ask("PATCH", `/api/v1/breakpoints/${id}`, { enabled: true });
    await service.know();
    const third = (free[1] as OneWorker).post("/items", { name: "three" });
    await pausedOnes(3);
    // What takes it away lets all of them go on, wherever they are.
    await remove(id);
    for (const answer of [first, second, third]) assert.equal((await answer).status, 200);
    assert.deepEqual(await paused(), []);
  });

  test("keep the newest snapshots of all workers", async () => {
    const id = await set({ mode: "snapshot", condition: "name != 'none'" });
    for (const worker of workers)
      for (const name of ["none", `of ${worker.pid}`, "none"]) await worker.post("/items", { name });
    await until("all are counted", async () => (await one(id)).hits === 3);
    const { snapshots } = await one(id);
    const listed = (await service.data("/api/v1/breakpoints")).breakpoints.find((b: any) => b.id === id);

    assert.deepEqual(
      snapshots.map(({ input }: any) => input.value.name),
      workers.map(({ pid }) => `of ${pid}`).reverse(),
    );
    assert.deepEqual(listed.snapshots, snapshots);
    await remove(id);
  });

  test("are known to a worker that is started again, also to the first", async () => {
    const id = await set({ max_hits: 1000, condition: "name == 'held'" });
    for (const victim of [workers[2].pid, workers[0].pid]) {
      process.kill(victim, "SIGKILL");
      let started: OneWorker | undefined;
      await until("another serves in its place", async () => {
        const known = await service.workers(3);
        started = known.find(({ pid }) => !workers.some((worker) => worker.pid === pid));
        return started !== undefined && !known.some(({ pid }) => pid === victim);
      });
      const worker = started as OneWorker;
      workers = [...workers.filter(({ pid }) => pid !== victim), worker] as unknown as typeof workers;
      await until("the first worker has it", async () => {
        const { breakpoints } = await service.data("/api/v1/breakpoints");
        return breakpoints.some((each: any) => each.id === id);
      });
      let answer: ReturnType<OneWorker["post"]> | undefined;
      await until("the new one holds a run", async () => {
        answer = worker.post("/items", { name: "held" });
        return !(await Promise.race([answer.then(() => true), held()]));
      });
      const [{ id: hold }] = (await pausedOnes(1)) as [{ id: string }];
      assert.equal((await release(hold, "resume")).status, 200);
      assert.equal((await answer)?.status, 200);
    }
    // Numbers go on where they were.
    assert.notEqual(await set({}), id);
  });
});

/** False once a run is held. */
async function held(): Promise<false> {
  await pausedOnes(1);
  return false;
}
