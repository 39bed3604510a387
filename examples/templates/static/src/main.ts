import { FrameworkConfig } from "framework";

import { ingress } from "./app.js";

const config = FrameworkConfig.load();
const log = config.initLogging();

const server = await ingress().config(config).inspector().run({ Chance: Math.random });
log.info({ url: server.url }, "The page is open");
