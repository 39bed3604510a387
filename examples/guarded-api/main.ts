// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/guarded-api/main.ts

import { randomBytes } from "node:crypto";

import { FrameworkConfig } from "framework";

import { Accounts } from "./accounts.js";
import { accountsApi } from "./accounts-api.js";
import { guardedApi } from "./api.js";
import { gaugePage } from "./page.js";

/** The API listens on FRAMEWORK_SERVER_PORT, its pages from ten ports above it: the next one is the Inspector's. */
const { port } = FrameworkConfig.load().server;
const at = (offset: number) => `127.0.0.1:${port + offset}`;

const gauge = { cm: 212 };
await guardedApi({ pageOrigin: `http://${at(10)}` })
  .bind(at(0))
  .run({ Gauge: gauge });
const page = gaugePage(`http://${at(0)}`);
await page.bind(at(10)).run();
await page.bind(at(11)).run();

// Nobody makes themselves an admin: this one is there from the start.
const accounts = new Accounts();
const { ADMIN_PASSWORD = "" } = process.env;
const password = ADMIN_PASSWORD === "" ? randomBytes(12).toString("base64url") : ADMIN_PASSWORD;
const shown = ADMIN_PASSWORD === "" ? password : "ADMIN_PASSWORD";
await accounts.register({ name: "admin", password }, ["admin"]);
// Its cookie is for https, and for browsers that count this machine as safe, as Chromium and
// Firefox do. Behind a proxy that ends TLS, say so by `trustedProxies`: the limits are per address.
await accountsApi({ accounts }).bind(at(12)).run();

console.log(`The API listens on http://${at(0)}. Open

  http://${at(10)}   a page that may use it
  http://${at(11)}   the same page of an origin that may not
  http://${at(12)}   where its keepers register and log in; 'admin' by '${shown}'

or try

  curl -i http://${at(0)}/level
`);
