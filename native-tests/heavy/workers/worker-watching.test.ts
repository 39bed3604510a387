// What goes wrong in several workers, and what happens there, as the Inspector of the first one tells it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { InspectedWorkers, type OneWorker } from "../../support/inspected-workers.js";
import { until } from "../../support/patience.js";
import { WebSocketClient } from "../../support/websocket-client.js";

let service: InspectedWorkers;
let workers: readonly [OneWorker, OneWorker, OneWorker];

before(async () => {
  service = await InspectedWorkers.start({ WORKERS: "3" });
  workers = (await service.workers(3)) as [OneWorker, OneWorker, OneWorker];
});
after(() => service.stop());

const processOf = ({ run_id }: { run_id: string }): string => run_id.split("-")[0] as string;
const processes = (of: readonly { run_id: string }[]): number => new Set(of.map(processOf)).size;

/** What the hooks of all workers were told. */
const hooked = ({ server }: InspectedWorkers): readonly string[] =>
  server.stdout().match(/^alert stall:.*$/gm) ?? [];

/** The feed, and what it has told since. */
async function listening(subscription: object) {
  const client = await WebSocketClient.open(service.inspector.host, {
    path: "/api/v1/events",
    headers: {
      Host: "localhost",
      Authorization: service.headers["authorization"] as string,
      "Sec-WebSocket-Protocol": "framework.inspector.v1",
    },
  });
  const events: any[] = [];
  client.text(JSON.stringify({ type: "subscribe", ...subscription }));
  void (async () => {
    for (let text = await client.nextText(); text !== undefined; text = await client.nextText())
      events.push(...(JSON.parse(text).events ?? []));
  })().catch(() => {});
  return { client, events };
}

describe("the Inspector of several workers", () => {
  test("lists the stalls and alerts of all of them, each cause once", async () => {
    const { client, events } = await listening({ kinds: ["alert"] });
    const answers = workers.map((worker) => worker.get("/stall"));
    let stalls: any[] = [];
    await until("runs of all workers stall", async () => {
      ({ stalls } = await service.data("/api/v1/stalls"));
      return stalls.length === 3;
    });
    const { alerts } = await service.data("/api/v1/alerts");

    assert.equal(processes(stalls), 3);
    assert.deepEqual(
      alerts.map(({ key, state, run_ids }: any) => [key, state, run_ids.length]),
      [["stall:stall/wait", "active", 3]],
    );
    // The first one's own run goes on, the others' do not: it is not over.
    const [first, ...others] = await service.workers(3);
    await first?.get("/go");
    await until(
      "its run has gone on",
      async () => (await service.data("/api/v1/stalls")).stalls.length === 2,
    );
    const told = () => events.map(({ alert }) => `alert ${alert.key} ${alert.state}`);
    await until("the feed and a hook have told of it", () => events.length > 0 && hooked(service).length > 0);
    assert.deepEqual(told(), ["alert stall:stall/wait active"]);
    for (const worker of others) await worker.get("/go");
    for (const [at, answer] of answers.entries()) assert.equal((await answer).json, workers[at]?.pid);
    await until("none stalls any more", async () => {
      const [alert] = (await service.data("/api/v1/alerts")).alerts;
      return (await service.data("/api/v1/stalls")).stalls.length === 0 && alert.state === "resolved";
    });
    await until("the feed has told that it is over", () => events.length > 1);

    assert.deepEqual(told(), ["alert stall:stall/wait active", "alert stall:stall/wait resolved"]);
    // A hook is told of one key once in a minute: its end comes later.
    assert.equal(hooked(service).filter((line) => line.endsWith("active")).length, 1);
    client.destroy();
  });

  test("judges the figures of all of them together", async () => {
    // Five in each: no worker has as many as the rule asks for.
    for (let n = 0; n < 5; n += 1)
      for (const worker of workers) assert.equal((await worker.get("/fail")).status, 500);

    let examples: readonly string[] = [];
    await until("too many runs fault, of which those of all workers are shown", async () => {
      const { alerts } = await service.data("/api/v1/alerts");
      examples = alerts.find(({ key }: any) => key === "error_rate:fail")?.run_ids ?? [];
      return processes(examples.map((run_id) => ({ run_id }))) === 3;
    });
    assert.equal(examples.length, 5);
    for (const id of examples)
      assert.equal((await service.data(`/api/v1/traces/${id}`)).run.request.http_status, 500);
  });

  test("feeds what happens in all of them while somebody listens", async () => {
    const { client, events } = await listening({ kinds: ["circuit_exit", "node_exit"], circuits: ["run"] });
    await until("runs of all workers are told of", async () => {
      for (const worker of workers) await worker.get("/run/fed");
      const exits = events.filter(({ kind }) => kind === "circuit_exit").map(({ run }) => run);
      return processes(exits) === 3 && processes(events.filter(({ kind }) => kind === "node_exit")) === 3;
    });
    const seqs = events.map(({ seq }) => seq);

    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((a, b) => a - b),
    );
    client.destroy();
  });

  test("feeds the runs that any of them holds", async () => {
    const { client, events } = await listening({ kinds: ["node_paused", "node_resumed", "breakpoint"] });
    const wanted = { node_id: "items/take", max_hits: 1000 };
    assert.equal((await service.ask("POST", "/api/v1/breakpoints", wanted)).status, 201);
    await service.know();
    let held: any;
    await until("a run of the second worker is told of", async () => {
      const answer = workers[1].post("/items", { name: "tea" });
      await until("it is held", async () => (await service.data("/api/v1/paused")).paused.length === 1);
      const [{ id }] = (await service.data("/api/v1/paused")).paused;
      await service.ask("POST", `/api/v1/paused/${id}/resume`);
      await answer;
      // One of those before it: what is told comes in batches.
      held = events.find(({ kind }) => kind === "node_paused");
      return held !== undefined;
    });
    await until("its end is, and what is counted", async () =>
      ["node_resumed", "breakpoint"].every((wanted) => events.some(({ kind }) => kind === wanted)),
    );

    assert.equal(held.paused.input.value.name, "tea");
    assert.ok(held.paused.id.endsWith(`-${workers[1].pid}`));
    client.destroy();
  });

  test("tells hooks of what began while there was no first worker, once there is one", async () => {
    const { pid } = service.inspector;
    const other = (await service.workers(3)).find((worker) => worker.pid !== pid);
    process.kill(pid, "SIGKILL");
    // It leaves a dead letter before another process can have begun.
    assert.equal((await other?.post("/pay", { name: "tea" }))?.status, 502);
    const told = () => service.server.stdout().match(/^alert dead_letter:.*$/gm) ?? [];
    assert.deepEqual(told(), []);
    await until("a hook has told of it", () => told().length > 0);

    assert.notEqual(service.inspector.pid, pid);
    assert.deepEqual(told(), ["alert dead_letter:pay/charge active"]);
    const { alerts } = await service.data("/api/v1/alerts");
    assert.ok(alerts.some(({ key, state }: any) => key === "dead_letter:pay/charge" && state === "active"));
  });

  test("tells of workers that crash, and counts their crashes", async () => {
    for (let n = 0; n < 3; n += 1) {
      const { pid } = service.inspector;
      const other = (await service.workers(3)).find((worker) => worker.pid !== pid) as OneWorker;
      process.kill(other.pid, "SIGKILL");
    }
    const told = () => service.server.stdout().match(/^alert worker_crash .*$/gm) ?? [];
    await until("a hook has told of it", () => told().length > 0);
    await service.workers(3);
    const { alerts } = await service.data("/api/v1/alerts");
    const { json } = await service.ask("GET", "/metrics");

    assert.deepEqual(told(), ["alert worker_crash active"]);
    const [alert] = alerts.filter(({ kind }: any) => kind === "worker_crash");
    assert.match(
      alert.cause,
      /^Workers ended 4 times within 5 minutes, the last one worker [23] by SIGKILL$/,
    );
    assert.deepEqual([alert.state, alert.severity], ["active", "critical"]);
    const counts = [...String(json).matchAll(/^framework_worker_crashes_total\{worker="(\d)"\} (\d)$/gm)];
    assert.deepEqual(
      counts.map(([, worker]) => worker),
      ["1", "2", "3"],
    );
    assert.equal(
      counts.reduce((sum, [, , count]) => sum + Number(count), 0),
      4,
    );
  });
});
