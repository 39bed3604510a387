// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/sessions/main.ts

import { FrameworkConfig } from "framework";

import { logbook } from "./logbook.js";

const config = FrameworkConfig.load();
// Outside production, plain http: a cookie that is not Secure.
const { production } = config.mode;
const server = await logbook(production ? {} : { insecureCookie: true })
  .config(config)
  .run();

const url = `http://${server.address}`;
console.log(`listening on ${url}`);
console.log(
  `  curl -c jar -d '{"name":"ann","password":"anchors aweigh"}' -H 'content-type: application/json' ${url}/login`,
);
console.log(`  curl -b jar ${url}/crew/me`);
if (production) console.log("The cookie is Secure: curl and browsers send it over https alone.");
