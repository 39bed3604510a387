// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/approvals/main.ts

import { FrameworkConfig, openStores } from "framework";

import { expenses } from "./app.js";
import { Office } from "./office.js";

const { STORES = "sqlite:.framework/approvals.db", OFFICE = "office.jsonl" } = process.env;
const { PAYS_MS = "0", LEASE_MS = "10000" } = process.env;

const server = await expenses(openStores(STORES), Number(LEASE_MS))
  .config(FrameworkConfig.load())
  .run({ Office: new Office(OFFICE, Number(PAYS_MS)) });

const json = "-H 'content-type: application/json'";
console.log(`listening on ${server.url}

  curl -i ${server.url}/claims -H 'authorization: Bearer ada' ${json} -d '{"cents":4200,"reason":"train to Leith"}'
  curl ${server.url}/claims/ID
  curl ${server.url}/claims/ID/approval -H 'authorization: Bearer mia' ${json} -d '{"approved":true}'

The claim waits for days, also while this process is down. Ada cannot approve it, and no manager their own.`);
