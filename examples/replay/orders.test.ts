import assert from "node:assert/strict";
import { after, test } from "node:test";

import { Framework, openStores } from "framework";
import { replayRun } from "framework/runtime";

import { allowEffects } from "../../src/runtime/replay/refused-effects.js";
import { BankKey, order } from "./orders.js";

after(allowEffects);

test("the code of today returns what the stored run returned, and charges nothing", async () => {
  let charged = 0;
  const bank = {
    charge: async (cents: number) => {
      charged += cents;
      return "receipt 1";
    },
  };
  const stores = openStores("memory:");
  const server = await Framework.http({ resources: [BankKey] })
    .stores(stores)
    .post("/orders", order, { detached: true })
    .runStatus("/runs/:run_id")
    .bind("127.0.0.1:0")
    .run({ Bank: bank });
  const { runId: run_id } = (await server.runs.start(order, { lines: [{ cents: 150, count: 2 }] })) as {
    readonly runId: string;
  };
  await server.runs.result(run_id, { waitMs: 10_000 });
  const entries = await stores.runs.read(run_id);
  await server.close();

  const { kind, ran, given } = await replayRun(order, { run_id, entries });
  assert.deepEqual([kind, ran, given], ["same", ["order/price", "order/thank"], ["order/charge"]]);
  assert.equal(charged, 300);
});
