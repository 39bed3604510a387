import { FrameworkConfig } from "framework";

import { ingress } from "./app.js";

const config = FrameworkConfig.load();
const log = config.initLogging();

const server = await ingress(config.openStores()).config(config).inspector().run();
log.info({ url: server.url }, "Forecasts are made");
