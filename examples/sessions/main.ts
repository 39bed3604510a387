import { FrameworkConfig } from "framework";

import { logbook } from "./logbook.js";

// Plain http: a cookie that is not Secure, which production refuses.
const server = await logbook({ insecureCookie: true }).config(FrameworkConfig.load()).run();

const url = `http://${server.address}`;
console.log(`listening on ${url}`);
console.log(
  `  curl -c jar -d '{"name":"ann","password":"anchors aweigh"}' -H 'content-type: application/json' ${url}/login`,
);
console.log(`  curl -b jar ${url}/crew/me`);
