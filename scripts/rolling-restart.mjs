// Restarts two processes behind HAProxy while 10 000 requests are sent:
// `npm run rolling-restart`, or `npm run rolling-restart -- REQUESTS`.

import { restartUnderLoad } from "../native-tests/support/rolling-restart.ts";
import { commandLine } from "./command-line.mjs";

const HELP = `npm run rolling-restart [-- --requests N]

Replaces workers one after the other below N requests (10000). Exits with 1 where one failed.`;

const requests = commandLine(
  HELP,
  { options: { requests: { type: "string", default: "10000" } } },
  ({ count }) => count("requests", 1),
);
const { sent, failures } = await restartUnderLoad({ requests, pauseMs: 5 });
console.log(`${sent} requests, ${failures.length} failed`);
for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
