// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/nodes/main.ts

import { FrameworkConfig } from "framework";

import { app } from "./app.js";
import { type Rates, UnknownTenant } from "./parcel.js";

const CONTRACTS = new Map([
  ["public", 100],
  ["acme", 90],
]);

/** In place of a service somewhere else. */
const rates: Rates = {
  async percentOf(tenant) {
    const percent = CONTRACTS.get(tenant);
    if (percent === undefined) throw new UnknownTenant();
    return percent;
  },
};

const server = await app().config(FrameworkConfig.load()).run({ Rates: rates });

console.log(`Quotes are made on http://${server.address}. Try:

  curl http://${server.address}/quotes -H 'x-tenant: acme' -H 'content-type: application/json' -d '{"sku":"tea-0001","grams":500,"country":"FR"}'
`);
