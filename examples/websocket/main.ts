// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/websocket/main.ts

import { FrameworkConfig } from "framework";

import { auction } from "./auction.js";

const server = await auction().config(FrameworkConfig.load()).run();
console.log(`ws://${server.address}/lots/clock?name=ada`);
