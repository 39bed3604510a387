// dbos-waiting.mjs URL CONCURRENCY: the same as a workflow of DBOS.

import { DBOS } from "@dbos-inc/dbos-sdk";

import { measured } from "./measured.mjs";

const [url, concurrency] = process.argv.slice(2);
DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, systemDatabasePoolSize: 10, logLevel: "error" });
const workflow = DBOS.registerWorkflow(
  async ({ n }) => {
    await DBOS.sleep(10);
    const { n: got } = await DBOS.recv("go", 60);
    return DBOS.runStep(async () => ({ n, got: got + 1 }), { name: "last" });
  },
  { name: "waits" },
);
await DBOS.launch();

await measured(
  Number(concurrency),
  async (n) => {
    const workflowID = `waits-${process.pid}-${n}`;
    const handle = await DBOS.startWorkflow(workflow, { workflowID })({ n });
    await DBOS.send(workflowID, { n }, "go");
    return handle.getResult();
  },
  ({ n, got }, asked) => n === asked && got === n + 1,
);
await DBOS.shutdown();
