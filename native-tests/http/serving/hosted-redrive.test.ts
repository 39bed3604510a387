// What a program does by itself with the Axons of an ingress that keeps its runs: it re-drives a
// dead letter, begins a run, resumes one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, Framework, fault, openStores, redrive, redriveAll, Stores } from "framework";

const Bank = busKey<{ isUp: boolean }>()("Bank");

const served = async () => {
  const stores = openStores("memory:");
  const bank = { isUp: false };
  const axon = Axon.start<number>("mounted")
    .withPersistenceStore(Stores.mounted)
    .withDlqSink(stores.deadLetters)
    .thenFn("pay", (n, bus) => (bus.get(Bank).isUp ? n : fault("bank is down")), { reads: [Bank] });
  const server = await Framework.http({ resources: [Bank], processGuards: false })
    .stores(stores)
    .post("/pay", axon as never)
    .bind("127.0.0.1:0")
    .run({ Bank: bank });
  const { deadLetters: letters, runs } = stores;
  const fail = async (runId: string): Promise<void> => {
    await server.runs.start(axon as never, 1 as never, { runId });
    while ((await letters.get(runId)) === undefined) await new Promise(setImmediate);
  };
  return { server, axon, bank, letters, runs, fail };
};

describe("an Axon that keeps its runs in the stores of its ingress", () => {
  test("has its letters re-driven by the program, with the resources of the server", async (t) => {
    const { server, axon, bank, letters, fail } = await served();
    t.after(() => server.close());
    for (const id of ["one", "two"]) await fail(id);
    assert.equal((await redrive(letters, "one", axon as never)).kind, "failed");
    bank.isUp = true;

    assert.deepEqual(await redrive(letters, "one", axon as never), { kind: "done", outcome: 1 });
    const kinds: string[] = [];
    for await (const { id, kind } of redriveAll(letters, axon as never)) kinds.push(`${id} ${kind}`);
    assert.deepEqual([kinds, await letters.list()], [["two done"], []]);
  });

  test("is run by the program while it is served, and says what it misses before and after", async () => {
    const { server, axon, bank, letters } = await served();
    bank.isUp = true;
    const execute = (): unknown => Reflect.apply(axon.execute, axon, [3, undefined]);
    assert.throws(execute, { code: "KEYS_UNPROVIDED" });
    await server.close();

    assert.throws(execute, { code: "STORE_MISSING" });
    letters.send({
      ...{ id: "one", kind: "step", axon: "mounted", version: "1.0.0", node: "mounted/pay", input: 1 },
      ...{ error: 1, timeline: undefined, undone: [], failed_at: 1, attempts: 1 },
    });
    await assert.rejects(redrive(letters, "one", axon as never), { code: "STORE_MISSING" });
  });
});
