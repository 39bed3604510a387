// Restarts two processes behind HAProxy while 10 000 requests are sent:
// `npm run rolling-restart`, or `npm run rolling-restart -- REQUESTS`.

import { restartUnderLoad } from "../native-tests/support/rolling-restart.ts";

const [argument = "10000"] = process.argv.slice(2);
if (!/^\d+$/.test(argument)) {
  console.log("npm run rolling-restart [-- REQUESTS]\n\nExits with 1 where one of them failed.");
  process.exit(argument === "--help" ? 0 : 2);
}

const { sent, failures } = await restartUnderLoad({ requests: Number(argument), pauseMs: 5 });
console.log(`${sent} requests, ${failures.length} failed`);
for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
