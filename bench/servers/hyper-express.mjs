import HyperExpress from "hyper-express";

import { greeting, plaintext } from "../subjects/greeting.mjs";
import { host, port, ready } from "./arguments.mjs";
import "./native.mjs";

const server = new HyperExpress.Server();
server.get("/", (_, response) => {
  response.type("text").send(plaintext);
});
server.get("/json", (_, response) => {
  response.json(greeting());
});
await server.listen(port, host);
ready();
