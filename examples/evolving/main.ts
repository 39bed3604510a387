// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/evolving/main.ts

import { FrameworkConfig } from "framework";

import { app } from "./app.js";

const server = await app().config(FrameworkConfig.load()).run();

console.log(`listening on ${server.url}

  curl ${server.url}/orders -H 'content-type: application/json' -d '{"sku":"tea","pieces":30}'

Start it with VERSION=1, order, and end it. Then, before the next version takes its place:

  npx framework runs check node_modules/framework/examples/evolving/app.ts`);
