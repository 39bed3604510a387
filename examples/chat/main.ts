import { existsSync } from "node:fs";

import { chat } from "./chat.js";

const { CERT = ".certs/server.crt", KEY = ".certs/server.key", PORT = "3000" } = process.env;
const hasCertificate = existsSync(CERT);
const server = await chat(hasCertificate ? { cert: CERT, key: KEY } : undefined)
  .bind(`127.0.0.1:${PORT}`)
  .run();

console.log(`The chat is at ${server.url}: open it in two windows, by two names.`);
if (!hasCertificate) console.log("It speaks plain HTTP: `npm run dev-cert` makes it a certificate.");
