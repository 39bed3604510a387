// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/events/main.ts

import { FrameworkConfig } from "framework";

import { harbour } from "./levels.js";

const { ingress, measured } = harbour();
const server = await ingress.config(FrameworkConfig.load()).run();
console.log(`http://${server.address}/`);

const piers = ["North", "South", "Fish market"];
setInterval(() => {
  const pier = piers[Math.floor(Math.random() * piers.length)] as string;
  measured({ pier, cm: Math.round(210 + 180 * Math.sin(Date.now() / 20_000)) });
}, 1000).unref();
