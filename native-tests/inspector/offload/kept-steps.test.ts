// Steps of kept runs over a slow SQLite, as the Inspector of a listening server shows them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Axon, BearerAuth, Framework, FrameworkConfig, openStores } from "framework";
import { until } from "../../support/patience.js";
import { spin } from "../../support/pool-work.js";

const OPERATOR = "operator-token-0123456789";
const APPEND_MS = 3;

/** `n + 1`, kept with each way of checkpoints, in a store with appends of 3 ms and more. */
async function keptSteps() {
  const folder = mkdtempSync(join(tmpdir(), "kept-steps-"));
  const stores = openStores(`sqlite:${join(folder, "runs.db")}`);
  const runs = stores.runs as { append: typeof stores.runs.append };
  const append = runs.append.bind(runs);
  runs.append = async (...entries) => {
    spin(APPEND_MS);
    return append(...entries);
  };
  let inspector = "";
  const routes = (["sync", "async", "none"] as const).reduce(
    (ingress, checkpoint) =>
      ingress.get(
        `/${checkpoint}`,
        Axon.start(checkpoint)
          .thenFn("zero", () => 0)
          .thenFn("add", (n) => n + 1)
          .withPersistenceStore(stores.runs, { checkpoint }),
      ),
    Framework.http({ reporter: () => {} })
      .config(FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } }))
      .stores(stores),
  );
  const server = await routes
    .inspector({
      ...{ enabled: true, port: 0, sampleRatio: 1, auth: BearerAuth.tokens({ operator: OPERATOR }) },
      announce: (link) => {
        inspector = new URL(link).origin;
      },
    })
    .drainIdle(0)
    .bind("127.0.0.1:0")
    .run();
  const headers = { authorization: `Bearer ${OPERATOR}` };
  return {
    get: async (path: string) => assert.equal((await fetch(`${server.url}${path}`)).status, 200),
    text: async (path: string) => (await fetch(`${inspector}${path}`, { headers })).text(),
    data: async (path: string) =>
      ((await (await fetch(`${inspector}${path}`, { headers })).json()) as any).data,
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test("a step that adds is no candidate for a thread, and its figures are those of the call", async () => {
  const { get, data, text, close } = await keptSteps();
  for (let n = 0; n < 20; n += 1) for (const mode of ["sync", "async", "none"]) await get(`/${mode}`);
  const advice = await data("/api/v1/offload");
  let circuits: any[] = [];
  // A run is in the figures once it has been told, behind its response.
  await until("each run is in the figures", async () => {
    ({ circuits } = await data("/api/v1/metrics"));
    return circuits.every(({ windows, nodes }) =>
      [{ windows }, ...nodes].every((each) => each.windows.at(-1).latency !== null),
    );
  });
  const { traces } = await data("/api/v1/traces?circuit=sync&limit=1");
  const { nodes, run } = await data(`/api/v1/traces/${traces[0].run_id}`);
  const prometheus = await text("/metrics");
  await close();

  assert.deepEqual(advice.steps, []);
  assert.deepEqual(circuits.map(({ circuit }: any) => circuit).sort(), ["async", "none", "sync"]);
  for (const circuit of circuits) {
    const { latency, waited_us } = circuit.windows.at(-1);
    const [zero, add] = circuit.nodes.map((node: any) => node.windows.at(-1).latency);
    assert.ok(zero.p50_us < APPEND_MS * 1000 && add.p50_us < APPEND_MS * 1000, JSON.stringify([zero, add]));
    assert.ok(latency.p50_us >= APPEND_MS * 1000, "its run waits for its begin at least");
    assert.ok(waited_us >= APPEND_MS * 1000 && waited_us <= latency.mean_us, "which is told apart");
    for (const { windows } of circuit.nodes) assert.equal(windows.at(-1).waited_us, undefined);
  }
  const [zero, add] = nodes;
  assert.deepEqual([zero.waits.length, add.waits.length], [1, 2], "before each, and the end of the run");
  for (const { waited_us } of [...zero.waits, ...add.waits]) assert.ok(waited_us >= APPEND_MS * 1000);
  assert.ok(run.duration_us >= 3 * APPEND_MS * 1000, "its last append is a part of the run");
  const sum = (node: string) =>
    Number(
      new RegExp(`^framework_node_duration_seconds_sum\\{.*node="${node}".*\\} (.*)$`, "m").exec(
        prometheus,
      )?.[1],
    );
  assert.ok(sum("sync/add") < (20 * APPEND_MS) / 1000, String(sum("sync/add")));
});
