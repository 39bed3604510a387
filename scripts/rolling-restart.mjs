// Restarts two processes behind HAProxy under load: `npm run rolling-restart`.

import { restartUnderLoad } from "../native-tests/support/rolling-restart.ts";
import { commandLine } from "./command-line.mjs";

const HELP = `npm run rolling-restart [-- --requests N]

Restarts two processes behind HAProxy, one after the other, while N requests are sent (10000).
Exits with 1 where one of them failed.`;

const requests = commandLine(
  HELP,
  { options: { requests: { type: "string", default: "10000" } } },
  ({ count }) => count("requests", 1),
);
const { sent, failures } = await restartUnderLoad({ requests, pauseMs: 5 });
console.log(`${sent} requests, ${failures.length} failed`);
for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
