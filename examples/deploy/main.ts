// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/deploy/main.ts
// Starts the service in FRAMEWORK_SERVER_WORKERS processes.

import { FrameworkConfig } from "framework";

import { type Stock, service } from "./service.js";

/** Called in each process that serves, and not in the one that starts the others. */
async function connect(): Promise<{ Stock: Stock }> {
  let left = 12;
  return {
    Stock: {
      left: async () => left--,
      ping: async () => {},
      [Symbol.asyncDispose]: async () => console.log("stock: disconnected"),
    },
  };
}

const server = await service.bind("0.0.0.0:3000").config(FrameworkConfig.load()).run(connect);

if (server.role !== "worker") console.log(`listening on ${server.address}`);
