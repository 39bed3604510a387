// Starts the service in as many processes as WORKERS says: `node examples/deploy/main.ts`
// where it is built, and through tsx from its source.

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

const { ADDRESS = "0.0.0.0:3000", WORKERS = "1" } = process.env;

const server = await service.bind(ADDRESS).workers(Number(WORKERS)).run(connect);

if (server.role !== "worker") console.log(`listening on ${server.address}`);
