// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/start/main.ts

import { FrameworkConfig } from "framework";

import { harbour } from "./app.js";

const berths = new Map([
  ["1", "Freya"],
  ["2", ""],
]);
const server = await harbour().config(FrameworkConfig.load()).inspector().run({ Berths: berths });

console.log(`The harbour is open: ${server.url}/berths/1`);
