import { FrameworkConfig } from "framework";

import { auction } from "./auction.js";

const server = await auction().config(FrameworkConfig.load()).run();
console.log(`ws://${server.address}/lots/clock?name=ada`);
