// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/static/main.ts

import { FrameworkConfig } from "framework";

import { tides } from "./tides.js";

const server = await tides().config(FrameworkConfig.load()).run();

console.log(`listening on http://${server.address}

Open it, go to a harbour, and reload the page there; or try

  curl -i -H 'accept-encoding: br' http://${server.address}/assets/app-c41e7b02.js -o /dev/null
  curl -i -r 0-6 http://${server.address}/charts/soundings.csv
`);
