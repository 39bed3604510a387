// A server with a kept Axon whose second step ends the process: `STORE=URL [BEGINS=1]`. It takes the
// run until that is stuck, then prints what the run came to and its dead letters.

import { Type } from "@sinclair/typebox";
import { Axon, Framework, openStores, Stores } from "framework";

const { STORE = "", BEGINS, MAX_RESUMPTIONS = "" } = process.env;
const stores = openStores(STORE);
const aborting = Axon.start("aborting", Type.Number())
  .withPersistenceStore(Stores.mounted)
  .withDlqSink(stores.deadLetters)
  .thenFn("one", (n) => n + 1)
  .thenFn("two", (): number => process.abort());

const server = await Framework.http()
  .stores(stores, { leaseMs: 200, maxResumptions: Number(MAX_RESUMPTIONS) })
  .post("/aborting", aborting)
  .bind("127.0.0.1:0")
  .run();
if (BEGINS !== undefined) await server.runs.start(aborting, 1, { runId: "run" });
let result = await server.runs.result("run");
while (result.kind === "running") {
  await new Promise((resolve) => setTimeout(resolve, 20));
  result = await server.runs.result("run");
}
const letters = (await stores.deadLetters.list()).map(({ id, node, error }) => ({ id, node, error }));
console.log(`came to ${JSON.stringify({ result, letters })}`);
await server.close();
