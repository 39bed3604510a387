import { FrameworkConfig } from "framework";

import { lighthouse } from "./lighthouse.js";

const { CERT = ".certs/server.crt", KEY = ".certs/server.key" } = process.env;
const server = await lighthouse({ cert: CERT, key: KEY })
  .bind("127.0.0.1:3443")
  .config(FrameworkConfig.load())
  .run();

console.log(`listening on ${server.url}`);
