// The clients of a crowded server: `node crowd.mjs PORT waiting|idle COUNT`. Says so when
// all are connected and have asked once. Ends when its input does.

import { once } from "node:events";
import { connect } from "node:net";

import { host, port } from "./arguments.mjs";

/** The engine cuts a connection that is idle for 10 s: each client asks a little more often. */
const ASKS_EACH_MS = 7000;
const AT_ONCE = 100;

const [kind, count] = [process.argv[3], Number(process.argv[4])];
const request = `GET ${kind === "waiting" ? "/wait" : "/"} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

process.stdin.resume().once("end", () => process.exit(0));

async function client() {
  const socket = connect(port, host);
  socket.on("data", () => {});
  await once(socket, "connect");
  socket.write(request);
  return socket;
}

const clients = [];
while (clients.length < count) {
  const more = Math.min(AT_ONCE, count - clients.length);
  clients.push(...(await Promise.all(Array.from({ length: more }, client))));
}
process.stdout.write("CROWDED\n");

if (kind === "idle" && count > 0) {
  // Spread over the time, so that no round has them all.
  let next = 0;
  setInterval(() => {
    clients[next].write(request);
    next = (next + 1) % count;
  }, ASKS_EACH_MS / count);
}
