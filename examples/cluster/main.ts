// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/cluster/main.ts
// One host of the shop. start.ts starts three of them, with all that they need.

import { hostname } from "node:os";

import { FrameworkConfig } from "framework";

import { shop } from "./shop.js";

const { HOST_NAME = hostname(), RELEASE = "2", STEP_MS = "0", LEASE_MS = "10000" } = process.env;

const config = FrameworkConfig.load();
const server = await shop({
  stores: config.openStores(),
  release: RELEASE,
  insecureCookie: !config.mode.production,
  leaseMs: Number(LEASE_MS),
})
  .config(config)
  .inspector()
  .run({ Host: { name: HOST_NAME, release: RELEASE, stepMs: Number(STEP_MS) } });

console.log(`listening on ${server.url}: ${HOST_NAME}, release ${RELEASE}`);
