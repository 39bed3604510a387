// The service of session-app.ts in production, with the options of OPTIONS (JSON).

import { sessionApp } from "./session-app.js";

const { ingress } = sessionApp(JSON.parse(process.env["OPTIONS"] ?? "{}"));
const server = await ingress.bind("127.0.0.1:0").run();

console.log(`listening ${server.address}`);
