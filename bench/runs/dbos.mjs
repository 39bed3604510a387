// dbos.mjs URL CONCURRENCY: the same line as a workflow of DBOS.

import { DBOS } from "@dbos-inc/dbos-sdk";

import { measured } from "./measured.mjs";

const [url, concurrency] = process.argv.slice(2);
DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, systemDatabasePoolSize: 10, logLevel: "error" });
const step = (name) => (input) => DBOS.runStep(async () => ({ ...input, [name]: input.n + 1 }), { name });
const workflow = DBOS.registerWorkflow(
  async (input) => {
    let value = input;
    for (const name of ["a", "b", "c"]) value = await step(name)(value);
    return value;
  },
  { name: "kept" },
);
await DBOS.launch();
const text = "x".repeat(100);

await measured(
  Number(concurrency),
  (n) => workflow({ n, text }),
  ({ n, c }) => c === n + 1,
);
await DBOS.shutdown();
