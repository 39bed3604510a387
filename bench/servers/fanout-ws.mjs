// `ws` at its best: a message is made bytes once, compression is off.

import { WebSocketServer } from "ws";

import { news } from "../subjects/feed.mjs";
import { host, port, ready } from "./arguments.mjs";
import { obey } from "./told.mjs";

let speaker;
const server = new WebSocketServer({ host, port, path: "/feed", perMessageDeflate: false }, ready);
server.on("connection", (socket) => {
  speaker ??= socket;
});
await obey(() => {
  const bytes = Buffer.from(news);
  for (const socket of server.clients) if (socket !== speaker) socket.send(bytes, { binary: false });
});
