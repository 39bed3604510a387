import { FrameworkConfig } from "framework";

import { ingress } from "./app.js";
import { MemoryBooks } from "./books.js";

const config = FrameworkConfig.load();
const log = config.initLogging();

const server = await ingress().config(config).inspector().run({ Books: new MemoryBooks() });
log.info({ url: server.url }, "The catalogue is open");
