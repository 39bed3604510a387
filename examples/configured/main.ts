// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/examples/configured/main.ts

import { FrameworkConfig } from "framework";

import { app } from "./app.js";

const config = FrameworkConfig.load();
const log = config.initLogging();

const server = await app().config(config).run();
log.info({ address: server.address }, "the kiosk is open");
