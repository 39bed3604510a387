// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/routes/main.ts

import { FrameworkConfig } from "framework";

import { app } from "./app.js";

const server = await app().config(FrameworkConfig.load()).run({ Notes: new Map() });

console.log(`Notes are kept on http://${server.address}. Try:

  curl -X PUT http://${server.address}/notes/tea -H 'content-type: application/json' -d '{"text":"Buy some"}'
  curl http://${server.address}/v1/notes/tea
`);
