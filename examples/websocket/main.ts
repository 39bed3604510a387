import { auction } from "./auction.js";

const server = await auction().run();
console.log(`ws://${server.address}/lots/clock?name=ada`);
