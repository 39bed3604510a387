// The native server with a loop by hand: an event is made bytes once, and written to all.

import { news } from "../subjects/feed.mjs";
import { host, port, ready } from "./arguments.mjs";
import { native } from "./native.mjs";
import { obey } from "./told.mjs";

/** The engine ends an answer of which nothing is written for 10 s. */
const HEARTBEAT_MS = 5000;

const clients = new Set();
const publish = (text) => {
  const bytes = Buffer.from(text);
  for (const response of clients) response.cork(() => response.write(bytes));
};

native
  .App()
  .get("/feed", (response) => {
    response.onAborted(() => clients.delete(response));
    response
      .writeHeader("content-type", "text/event-stream")
      .writeHeader("cache-control", "no-store")
      .write(": hello\n\n");
    clients.add(response);
  })
  .listen(host, port, ready);
setInterval(() => publish(":\n\n"), HEARTBEAT_MS);

let id = 0;
await obey(() => {
  id += 1;
  publish(`id: ${id}\ndata: ${news}\n\n`);
});
