// node:http with the same loop by hand.

import { createServer } from "node:http";

import { news } from "../subjects/feed.mjs";
import { host, port, ready } from "./arguments.mjs";
import { obey } from "./told.mjs";

const clients = new Set();
const server = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(": hello\n\n");
  clients.add(response);
  request.on("close", () => clients.delete(response));
});
server.listen({ host, port }, ready);

let id = 0;
await obey(() => {
  id += 1;
  const bytes = Buffer.from(`id: ${id}\ndata: ${news}\n\n`);
  for (const response of clients) response.write(bytes);
});
