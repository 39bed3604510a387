// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/chat/main.ts

import { existsSync } from "node:fs";

import { FrameworkConfig } from "framework";

import { chat } from "./chat.js";

const { CERT = ".certs/server.crt", KEY = ".certs/server.key" } = process.env;
const hasCertificate = existsSync(CERT);
const server = await chat(hasCertificate ? { cert: CERT, key: KEY } : undefined)
  .config(FrameworkConfig.load())
  .run();

console.log(`The chat is at ${server.url}: open it in two windows, by two names.`);
if (!hasCertificate) console.log("It speaks plain HTTP: CERT and KEY name the files of a certificate.");
