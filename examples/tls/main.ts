// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/tls/main.ts

import { existsSync } from "node:fs";

import { FrameworkConfig } from "framework";

import { lighthouse } from "./lighthouse.js";

const { CERT = ".certs/server.crt", KEY = ".certs/server.key" } = process.env;
if (!existsSync(CERT) || !existsSync(KEY)) {
  console.error(`There is no certificate ${CERT} with the key ${KEY}: CERT and KEY name others`);
  process.exit(1);
}
const server = await lighthouse({ cert: CERT, key: KEY })
  .bind("127.0.0.1:3443")
  .config(FrameworkConfig.load())
  .run();

console.log(`listening on ${server.url}`);
